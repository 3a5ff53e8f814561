import type { RehearsalPolicy } from '../../rehearsal-policy.js';
import { isAgent, sceneOf } from '../scene.js';
import { planning, REPORT_PHASE, reviewing } from './strategic-phases.js';
import { validating } from './validating.js';
import { reporting } from './reporting.js';

/** First strategic phase of the shipped workflow. */
const FIRST_PHASE = 'Explore and plan';

/**
 * Plays the Validator: claims requirements from the cache and handles each one as the tools say. Duplicates and
 * fulfilment come from the graph tools; the policy makes no decisions about them.
 */
export const validator: RehearsalPolicy = {
  name: 'validator',
  matches: (request) => isAgent(request, 'validator'),
  answer: (request) => {
    const scene = sceneOf(request);
    if (scene.kind === 'strategic') return scene.phase === FIRST_PHASE ? planning(scene) : reviewing(scene);
    return scene.phase === REPORT_PHASE ? reporting(scene) : validating(scene);
  },
};
