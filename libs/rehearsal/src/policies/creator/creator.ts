import type { RehearsalPolicy } from '../../rehearsal-policy.js';
import { isAgent, sceneOf } from '../scene.js';
import { CITE_PHASE, planning, reviewing } from './strategic-phases.js';
import { extracting, writingUp } from './tactical-phases.js';

/** First strategic phase of the shipped workflow. */
const FIRST_PHASE = 'Explore and plan';

/**
 * Plays the Creator: plans, reads the documents with the tools, and writes up the results. All requirements come from the
 * tools; the policy makes no decisions about them.
 */
export const creator: RehearsalPolicy = {
  name: 'creator',
  matches: (request) => isAgent(request, 'creator'),
  answer: (request) => {
    const scene = sceneOf(request);
    if (scene.kind === 'strategic') return scene.phase === FIRST_PHASE ? planning(scene) : reviewing(scene);
    return scene.phase === CITE_PHASE ? writingUp(scene) : extracting(scene);
  },
};
