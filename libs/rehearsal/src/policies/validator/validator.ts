import type { RehearsalPolicy } from '../../rehearsal-policy.js';
import { isAgent, readScene } from '../scene.js';
import { readDemanded } from '../strategic-moves.js';
import { playPlanning, REPORT_PHASE, playReview } from './strategic-phases.js';
import { playValidation } from './play-validation.js';
import { playReport } from './play-report.js';

/** First strategic phase of the shipped workflow. */
const FIRST_PHASE = 'Explore and plan';

/**
 * Plays the Validator: claims requirements from the cache and handles each one according to the results of the tools. Duplicates and
 * fulfilment come from the graph tools; the policy makes no decisions about them.
 */
export const validatorPolicy: RehearsalPolicy = {
  name: 'validator',
  matches: (request) => isAgent(request, 'validator'),
  answer: (request) => {
    const scene = readScene(request);
    if (scene.kind === 'strategic')
      return readDemanded(scene) ?? (scene.phase === FIRST_PHASE ? playPlanning(scene) : playReview(scene));
    return scene.phase === REPORT_PHASE ? playReport(scene) : playValidation(scene);
  },
};
