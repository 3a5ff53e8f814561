import type { RehearsalPolicy } from '../../rehearsal-policy.js';
import { isAgent, readScene } from '../scene.js';
import { readDemanded } from '../strategic-moves.js';
import { playResearch, RESEARCH_PHASE } from './research-phase.js';
import { CITE_PHASE, playPlanning, playReview } from './strategic-phases.js';
import { playExtraction, playWriteUp } from './tactical-phases.js';

/** First strategic phase of the shipped workflow. */
const FIRST_PHASE = 'Explore and plan';

/**
 * Plays the Creator, with or without research: plans, reads the documents with the tools, and writes up the results. All requirements come from the
 * tools; the policy makes no decisions about them.
 */
export const creatorPolicy: RehearsalPolicy = {
  name: 'creator',
  matches: (request) => isAgent(request, 'creator') || isAgent(request, 'creator-research'),
  answer: (request) => {
    const scene = readScene(request);
    if (scene.kind === 'strategic')
      return readDemanded(scene) ?? (scene.phase === FIRST_PHASE ? playPlanning(scene) : playReview(scene));
    if (scene.phase === RESEARCH_PHASE) return playResearch(scene);
    return scene.phase === CITE_PHASE ? playWriteUp(scene) : playExtraction(scene);
  },
};
