import type { RehearsalPolicy } from '../../rehearsal-policy.js';
import { isAgent, sceneOf } from '../scene.js';
import { planning, REPORT_PHASE, reviewing } from './strategic-phases.js';
import { validating } from './validating.js';
import { reporting } from './reporting.js';

/** The strategic phase that the shipped workflow begins with. */
const FIRST_PHASE = 'Explore and plan';

/**
 * Plays the Validator: claims what waits in the cache, and does with each requirement what the tools say of it. It judges
 * nothing: what is a duplicate and what fulfils a requirement comes out of the graph's tools.
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
