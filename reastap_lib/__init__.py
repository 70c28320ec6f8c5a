"""ReasTAP: tables, typed columns, questions with proven answers, and the downstream tasks on tables."""
