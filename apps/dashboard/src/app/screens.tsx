import type { ComponentType } from 'react';
import { loadOnDemand } from './load-on-demand.js';

export interface Screen {
  /** Path pattern of wouter. */
  readonly path: string;
  readonly component: ComponentType;
  /** Loads the code of the screen before it is opened. Never rejects. */
  readonly load: () => Promise<void>;
  /** Entry in the navigation; screens that are reached from others have none. */
  readonly entry?: ScreenEntry;
}

export interface ScreenEntry {
  readonly title: string;
  readonly to: string;
  /** The right without which the screen shows nothing; undefined where every caller sees something. */
  readonly right?: string;
}

/** Every screen, loaded when it is opened first. The order is that of the navigation. */
export const screens: readonly Screen[] = [
  {
    path: '/',
    ...loadOnDemand(() => import('../overview/overview-screen.js')),
    entry: { title: 'Overview', to: '/', right: 'jobs:read' },
  },
  {
    path: '/jobs',
    ...loadOnDemand(() => import('../jobs/jobs-screen.js')),
    entry: { title: 'Jobs', to: '/jobs', right: 'jobs:read' },
  },
  { path: '/jobs/:jobId', ...loadOnDemand(() => import('../job/job-screen.js')) },
  { path: '/compare/:jobId/:otherJobId', ...loadOnDemand(() => import('../compare/compare-screen.js')) },
  {
    path: '/plans',
    ...loadOnDemand(() => import('../plans/plans-screen.js')),
    entry: { title: 'Plans', to: '/plans', right: 'jobs:read' },
  },
  { path: '/plans/new', ...loadOnDemand(() => import('../plans/new-plan-screen.js')) },
  { path: '/plans/preferences', ...loadOnDemand(() => import('../plans/preferences-screen.js')) },
  { path: '/plans/calibration', ...loadOnDemand(() => import('../plans/calibration-screen.js')) },
  { path: '/plans/:planId', ...loadOnDemand(() => import('../plans/plan-screen.js')) },
  {
    path: '/inbox',
    ...loadOnDemand(() => import('../inbox/inbox-screen.js')),
    entry: { title: 'Inbox', to: '/inbox', right: 'inbox:read' },
  },
  {
    path: '/submit',
    ...loadOnDemand(() => import('../submit/submit-screen.js')),
    entry: { title: 'Submit', to: '/submit', right: 'jobs:submit' },
  },
  {
    path: '/agents/:agent?',
    ...loadOnDemand(() => import('../agents/agents-screen.js')),
    entry: { title: 'Agents', to: '/agents', right: 'agents:read' },
  },
  {
    path: '/guards/:guard?',
    ...loadOnDemand(() => import('../guards/guards-screen.js')),
    entry: { title: 'Guards', to: '/guards', right: 'guards:read' },
  },
  {
    path: '/learning/:tab?/:id?',
    ...loadOnDemand(() => import('../learning/learning-screen.js')),
    entry: { title: 'Learning', to: '/learning', right: 'jobs:read' },
  },
  {
    path: '/audit/:jobId?',
    ...loadOnDemand(() => import('../audit/audit-screen.js')),
    entry: { title: 'Audit', to: '/audit', right: 'jobs:read' },
  },
  {
    path: '/dead-letters/:deadLetterId?',
    ...loadOnDemand(() => import('../dead-letters/dead-letters-screen.js')),
    entry: { title: 'Dead letters', to: '/dead-letters', right: 'queues:read' },
  },
  {
    path: '/settings/:tab?',
    ...loadOnDemand(() => import('../settings/settings-screen.js')),
    entry: { title: 'Settings', to: '/settings' },
  },
];
