import { lazy, type ComponentType, type LazyExoticComponent } from 'react';

export interface Screen {
  /** Path pattern of wouter. */
  readonly path: string;
  readonly component: LazyExoticComponent<ComponentType>;
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
    component: lazy(() => import('../overview/overview-screen.js')),
    entry: { title: 'Overview', to: '/', right: 'jobs:read' },
  },
  {
    path: '/jobs',
    component: lazy(() => import('../jobs/jobs-screen.js')),
    entry: { title: 'Jobs', to: '/jobs', right: 'jobs:read' },
  },
  { path: '/jobs/:jobId', component: lazy(() => import('../job/job-screen.js')) },
  { path: '/compare/:jobId/:otherJobId', component: lazy(() => import('../compare/compare-screen.js')) },
  {
    path: '/inbox',
    component: lazy(() => import('../inbox/inbox-screen.js')),
    entry: { title: 'Inbox', to: '/inbox', right: 'inbox:read' },
  },
  {
    path: '/submit',
    component: lazy(() => import('../submit/submit-screen.js')),
    entry: { title: 'Submit', to: '/submit', right: 'jobs:submit' },
  },
  {
    path: '/agents/:agent?',
    component: lazy(() => import('../agents/agents-screen.js')),
    entry: { title: 'Agents', to: '/agents', right: 'agents:read' },
  },
  {
    path: '/guards/:guard?',
    component: lazy(() => import('../guards/guards-screen.js')),
    entry: { title: 'Guards', to: '/guards', right: 'guards:read' },
  },
  {
    path: '/audit/:jobId?',
    component: lazy(() => import('../audit/audit-screen.js')),
    entry: { title: 'Audit', to: '/audit', right: 'jobs:read' },
  },
  {
    path: '/dead-letters/:deadLetterId?',
    component: lazy(() => import('../dead-letters/dead-letters-screen.js')),
    entry: { title: 'Dead letters', to: '/dead-letters', right: 'queues:read' },
  },
  {
    path: '/settings/:tab?',
    component: lazy(() => import('../settings/settings-screen.js')),
    entry: { title: 'Settings', to: '/settings' },
  },
];
