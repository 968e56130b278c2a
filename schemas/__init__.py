"""The words of EHR-RobustGym as typed models: tables, answers, overlays, questions, noise, pairs, verdicts."""
