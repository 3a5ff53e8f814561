import type { JobId } from '@phaseline/contracts';

/** Jobs that the tabs show. */
export interface ShownJobs {
  /** The same ended job in all samples, so that they can be compared. */
  readonly small: JobId;
  readonly big: JobId;
  /** The job that was submitted last. */
  readonly latest: () => JobId;
}

/** What one of the tabs is for. */
export interface TabKind {
  readonly name: string;
  /** The screen that the tab shows most of the time, and when it is sampled. */
  readonly home: (jobs: ShownJobs) => string;
  /** What it does beside visiting other screens and opening the dialog to go to one. */
  readonly extra?: 'slider' | 'live' | 'filter' | 'entries' | 'settings';
}

export const tabKinds: readonly TabKind[] = [
  { name: 'overview', home: () => '/' },
  { name: 'jobs', home: () => '/jobs', extra: 'filter' },
  { name: 'running job', home: ({ small }) => `/jobs/${small}`, extra: 'live' },
  { name: 'big job', home: ({ big }) => `/jobs/${big}`, extra: 'slider' },
  { name: 'inbox', home: () => '/inbox', extra: 'entries' },
  { name: 'agents', home: () => '/agents/writer' },
  { name: 'guards', home: () => '/guards' },
  { name: 'audit', home: ({ small }) => `/audit/${small}` },
  { name: 'dead letters', home: () => '/dead-letters' },
  { name: 'settings', home: () => '/settings', extra: 'settings' },
];
