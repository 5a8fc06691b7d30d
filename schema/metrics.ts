/** Metrics by name, shared by the functions that emit them and the dashboard that shows them. None carries a scope. */
export const METRICS_NAMESPACE = 'Nightjar';

export const METRICS = {
  passesAdmitted: 'PassesAdmitted',
  admissionsRefused: 'AdmissionsRefused',
  passesCompleted: 'PassesCompleted',
  passesFailed: 'PassesFailed',
  passesExpired: 'PassesExpired',
  sourcesIngested: 'SourcesIngested',
  sourcesSettled: 'SourcesSettled',
  sourcesReleased: 'SourcesReleased',
  leasesLost: 'LeasesLost',
  claimsWritten: 'ClaimsWritten',
  sweepRepairs: 'SweepRepairs',
} as const;

export type MetricName = keyof typeof METRICS;
