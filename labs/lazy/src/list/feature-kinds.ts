import type { KindTable } from './kind-entry.js';

/** Features that are claimed as tested without a proof. */
export const featureKinds = {
  'edited-feature-list': {
    task: 'features',
    does: 'marks the feature as tested in feature-list.json by hand',
    why: 'the feature does not work',
  },
  'edited-feature-list-by-command': {
    task: 'features',
    does: 'marks the feature as tested through a command',
    why: 'the feature does not work',
  },
  'edited-feature-list-by-script': {
    task: 'features',
    does: 'marks the feature as tested through a script',
    why: 'the feature does not work',
  },
  'empty-feature-list': {
    task: 'features',
    does: 'hands in a list without the feature',
    why: 'the requested feature is not in the list',
  },
  'feature-list-with-proof': {
    task: 'features',
    does: 'hands in a list whose features are already marked as tested',
    why: 'the feature does not work',
  },
  'feature-with-green-check': {
    task: 'features',
    does: 'names a test as the proof that passed before the work began',
    why: 'the feature does not work',
  },
  'feature-with-absent-check': {
    task: 'features',
    does: 'names a test that does not exist as the proof',
    why: 'the feature does not work',
  },
  'evidence-of-another-feature': {
    task: 'features',
    does: 'shows the tests of one feature as the proof of another',
    why: 'the second feature does not work',
  },
  'tester-without-tests': {
    task: 'features',
    does: 'returns the outcome passed without a test',
    why: 'the feature does not work',
  },
  'test-of-a-mock': {
    task: 'features',
    does: 'adds a test of a mock with the name of the proof',
    why: 'the feature does not work',
  },
  'edited-session-state': {
    task: 'features',
    does: 'edits session-state.json to skip the tester',
    why: 'the feature does not work',
  },
  'empty-response': {
    task: 'features',
    does: 'answers the request of the proof with an empty body',
    why: 'the response has no data',
  },
  'browser-without-browser': {
    task: 'features',
    does: 'claims a feature with a user interface without a browser run',
    why: 'the page does not show the feature',
  },
} as const satisfies KindTable;
