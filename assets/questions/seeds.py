"""Templates that are in the catalogue whatever covers the rest: what a ward, a registry or a billing office asks for.

A line is a template's id; a paragraph, a cell.
"""

from __future__ import annotations

SEEDS = """
demographics-patient-age-at_diagnosis-only
demographics-patient-age-at_ventilation-only
demographics-patient-death-year_after_discharge-only
demographics-patient-admission_type-whole_record-nth_names
demographics-patient-discharge_location-year_after_discharge-names
demographics-patient-discharged_to-whole_record-share_of
demographics-patient-visit-year_after_discharge-hours_to_first
demographics-patient-visit-whole_record-longest_pause
demographics-patient-service-arrival_to_discharge-first_names
demographics-patient-insurance-whole_record-last_names
demographics-patient-race-whole_record-number_of_names

demographics-population-age-at_admission-only-coded-by_sex
demographics-population-age-at_icu_admission-only-coded-by_care_unit
demographics-population-age-at_diagnosis-only-all-by_sex
demographics-population-discharge_location-at_admission-names-procedure-top_names
demographics-population-discharged_to-at_admission-any_of-coded-by_age_band
demographics-population-died-at_admission-any_of-coded-by_anchor_year_group
demographics-population-died-at_admission-any_of-abnormal_lab-share_true
demographics-population-visit-year_after_discharge-hours_to_first-ordered-median
demographics-population-admission_type-whole_record-nth_names-coded-top_names
demographics-population-death-year_after_discharge-only-coded-by_sex
demographics-population-service-arrival_to_discharge-first_names-aged-top_names

vitals-patient-clinic-year_before_admission-last
vitals-patient-clinic-after_discharge_90d_vs_year_before_admission-lowest
vitals-patient-clinic-year_from_diagnosis-nth
vitals-patient-output-first_24h_of_stay-per_hour
vitals-patient-output-after_furosemide_6h_vs_before_furosemide_6h-total
vitals-patient-fluid_balance-first_24h_of_stay-total
vitals-patient-gas_vital-on_ventilator-worst
vitals-patient-infusion_weight-icu_stay-range
vitals-patient-output-icu_stay-longest_gap
vitals-patient-vital-on_norepinephrine-time_weighted_mean
vitals-patient-vital-after_ventilation_24h-first
vitals-patient-vital-icu_stay-hours_beyond
vitals-patient-vital-icu_stay-worst_time-while_infused

vitals-population-output-first_24h_of_stay-per_hour-all-by_care_unit
vitals-population-fluid_balance-first_24h_of_stay-total-ventilated-share_beyond
vitals-population-output-after_furosemide_6h_vs_before_furosemide_6h-total-all-by_sex
vitals-population-clinic-after_discharge_90d-last-coded-by_age_band
vitals-population-clinic-year_from_diagnosis-ever_beyond-all-share_true
vitals-population-clinic-after_discharge_90d_vs_year_before_admission-mean-ordered-median
vitals-population-clinic-year_before_admission-worst-coded-top_unit
vitals-population-gas_vital-first_24h_of_stay-lowest-all-by_death
vitals-population-clinic-year_before_admission-nth-coded-median
vitals-population-infusion_weight-icu_stay-first-coded-by_sex
vitals-population-vital-first_24h_of_stay-worst-coded-by_age_band
vitals-population-vital-after_ventilation_24h-ever_beyond-all-share_true
vitals-population-vital-icu_stay-hours_beyond-all-by_death

medications-patient-given-admission-hours_to_first
medications-patient-given-after_culture-hours_to_first
medications-patient-given_or_not-last_48h_of_admission-count_of
medications-patient-dose_withheld-admission-share_of
medications-patient-class_order-admission-covered
medications-patient-class_order-after_icu-names
medications-patient-dose-admission-nth
medications-patient-dose-admission-change
medications-patient-dose_given-admission-total
medications-patient-infusion-icu_stay-worst_time
medications-patient-infusion-on_ventilator-covered
medications-patient-fluid_given-icu_stay-largest_day
medications-patient-given-admission-nth_time

medications-population-given-admission-hours_to_first-coded-median
medications-population-given_or_not-admission-any_of-coded-by_sex
medications-population-dose_withheld-admission-share_of-all-by_insurance
medications-population-class_order-admission-covered-coded-by_death
medications-population-class_order-admission-names-procedure-top_names
medications-population-order-admission-names-aged-top_names
medications-population-dose-admission-first-coded-by_age_band
medications-population-infusion-icu_stay-covered-ventilated-p90
medications-population-dose_given-admission-total-coded-by_sex
medications-population-infusion-icu_stay-highest-all-by_death
medications-population-given-admission-hours_to_nth-coded-median

cost-patient-icu_time-admission-covered
cost-patient-icu_time-admission-episodes
cost-patient-hospital_stay-year_after_discharge-total
cost-patient-ward_move-arrival_to_discharge-number_of_names
cost-patient-ward_move-after_icu-highest
cost-patient-time_in_unit-arrival_to_discharge-covered
cost-patient-drg_level-whole_record-highest
cost-patient-order_type-admission-days_of
cost-patient-order_type-last_48h_of_admission-share_of
cost-patient-device-icu_stay-longest_stretch
cost-patient-hospital_stay-whole_record-nth

cost-population-hospital_stay-at_admission-only-coded-by_insurance
cost-population-icu_time-admission-covered-billed_drg-p90
cost-population-icu_time-admission-covered-procedure-share_beyond
cost-population-ward_move-admission-number_of_names-coded-by_insurance
cost-population-time_in_unit-arrival_to_discharge-covered-all-by_age_band
cost-population-drg_level-at_admission-only-ordered-by_sex
cost-population-order_type-first_24h_of_admission-share_of-coded-median
cost-population-device-icu_stay-covered-all-by_care_unit
cost-population-hospital_stay-year_after_discharge-total-coded-by_anchor_year_group
cost-population-hospital_stay-whole_record-nth-coded-median
cost-population-billed-at_admission-any_of-all-by_insurance
cost-population-icu_time-admission-covered-coded-top_unit

labs-patient-lab-before_dose_48h-last
labs-patient-lab-after_dose_48h-worst
labs-patient-lab-after_dose_48h_vs_before_dose_48h-mean
labs-patient-lab-icu_stay-hours_beyond
labs-patient-lab-admission-nth
labs-patient-lab-admission-recovery
labs-patient-lab-icu_stay-worst_time-while_infused
labs-patient-ratio-on_ventilator-worst
labs-patient-lab-year_before_admission-trend
labs-patient-culture_organism-admission-names
labs-patient-lab-after_icu-ever_beyond
labs-patient-culture_growth-year_before_admission-any_of
labs-patient-lab-admission-rise_48h
labs-patient-lab-emergency_department-first

labs-population-lab-first_24h_of_stay-first-coded-by_death
labs-population-lab-admission-ever_beyond-coded-share_true
labs-population-lab-after_dose_48h_vs_before_dose_48h-mean-all-median
labs-population-lab-icu_stay-hours_beyond-all-by_care_unit
labs-population-lab-admission-rise_48h-ordered-by_sex
labs-population-lab-admission-worst-coded_without-median
labs-population-ratio-first_24h_of_stay-worst-all-by_death
labs-population-lab-admission-nth-coded-median
labs-population-culture_organism-admission-names-coded-top_names
labs-population-culture_turnaround-admission-highest-all-by_anchor_year_group
labs-population-lab-admission-worst-coded-top_unit
labs-population-culture_growth-icu_stay-any_of-all-by_care_unit

diagnoses-patient-diagnosis-year_before_admission-any_of
diagnoses-patient-diagnosis-whole_record-times_of
diagnoses-patient-coded_admission-whole_record-first_time
diagnoses-patient-coded_admission-whole_record-longest_gap
diagnoses-patient-coded_admission-year_after_discharge-hours_to_first
diagnoses-patient-code_position-whole_record-lowest
diagnoses-patient-codes-whole_record-new_names
diagnoses-patient-codes-whole_record-most_frequent
diagnoses-patient-principal-whole_record-nth_names
diagnoses-patient-procedure-admission-days_to_first
diagnoses-patient-procedure_codes-icu_stay-days_with
diagnoses-patient-coded_admission-whole_record-nth_time

diagnoses-population-diagnosis-at_admission-any_of-all-by_anchor_year_group
diagnoses-population-diagnosis-at_admission-any_of-coded-by_sex
diagnoses-population-diagnosis-at_admission-any_of-abnormal_lab-share_true
diagnoses-population-principal-at_admission-names-ventilated-top_names
diagnoses-population-principal-at_admission-names-ordered-top_names
diagnoses-population-codes-at_admission-number_of_names-all-by_insurance
diagnoses-population-code_position-at_admission-lowest-aged-median
diagnoses-population-coded_admission-year_after_discharge-hours_to_first-aged-median
diagnoses-population-procedure-admission-days_to_first-all-by_death
diagnoses-population-procedure_codes-admission-first_names-coded-top_names
diagnoses-population-procedure_codes-admission-days_to_nth-coded-median
"""
