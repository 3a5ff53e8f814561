import type { RehearsalPolicy } from '../../rehearsal-policy.js';
import { isAgent, readScene } from '../scene.js';
import { readDemanded } from '../strategic-moves.js';
import { playCode } from './play-code.js';
import { playInitialise } from './play-initialise.js';
import { playReport } from './play-report.js';
import { playTest } from './play-test.js';
import { readAssignment, readPhaseNumber } from './read-assignment.js';

/**
 * Plays the four agents of the workflow `feature-loop` on the example repository of `feature-lead`. What it writes is scripted, with mistakes; what
 * the tester returns depends on what the commands print.
 */
export const featureLoopPolicy: RehearsalPolicy = {
  name: 'feature-loop',
  matches: (request) =>
    ['feature-lead', 'initializer-agent', 'coding-agent', 'tester-agent'].some((name) => isAgent(request, name)),
  answer: (request) => {
    const scene = readScene(request);
    if (isAgent(request, 'coding-agent')) return playCode(scene, readAssignment(request));
    if (isAgent(request, 'tester-agent')) return playTest(scene, readAssignment(request));
    const demanded = readDemanded(scene);
    if (demanded) return demanded;
    return isAgent(request, 'feature-lead') ? playReport(scene, readPhaseNumber(request)) : playInitialise(scene);
  },
};
