import type { RehearsalAnswer, RehearsalPolicy } from '../../rehearsal-policy.js';
import { isAgent } from '../scene.js';
import { playCollect } from './collect/play-collect.js';
import { playOutline } from './outline/play-outline.js';
import { playApproval } from './play-approval.js';
import { playSchedule } from './play-schedule.js';
import { readPlanScene, type PlanScene } from './plan-scene.js';
import { playRoadmap } from './roadmap/play-roadmap.js';

/**
 * Plays the planner: plans any goal in English from its words. It knows no subjects: what it reads are dates, rhythm, effort, quantities and changes of a
 * state. The offered tools say which stage it is.
 */
export const plannerPolicy: RehearsalPolicy = {
  name: 'planner',
  matches: (request) => isAgent(request, 'planner'),
  answer: (request) => playStage(readPlanScene(request)),
};

function playStage(scene: PlanScene): RehearsalAnswer {
  const offers = (name: string): boolean => scene.toolNames.includes(name);
  // While an outline is drafted, the context can change as well.
  if (offers('node_generator')) return playOutline(scene);
  if (offers('context_elicitor')) return playCollect(scene);
  if (offers('roadmap_builder')) return playRoadmap(scene);
  return offers('schedule_generator') ? playSchedule(scene) : playApproval(scene);
}
