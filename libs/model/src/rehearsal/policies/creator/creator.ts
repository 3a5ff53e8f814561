import type { RehearsalPolicy } from '../../rehearsal-policy.js';
import { isAgent, sceneOf } from '../scene.js';
import { CITE_PHASE, planning, reviewing } from './strategic-phases.js';
import { extracting, writingUp } from './tactical-phases.js';

/** The strategic phase that the shipped workflow begins with. */
const FIRST_PHASE = 'Explore and plan';

/**
 * Plays the Creator: plans, reads the documents with the tools, and writes up what they found. It decides nothing about
 * requirements; those come out of the tools.
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
