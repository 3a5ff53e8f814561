import type { ArtifactKind } from '../artifacts/adaptation-log-entry.js';
import { planPaths } from '../session/plan-paths.js';
import type { PlanSession } from '../session/plan-session.js';
import type { PlanningTool } from '../session/tool-order.js';

/** Parts of a plan. An artifact counts by the hash in the session, which is dropped when it is outdated; a file by its content. */
export interface MemoParts {
  readonly artifacts?: readonly ArtifactKind[];
  readonly session?: readonly (keyof PlanSession)[];
  readonly files?: readonly string[];
}

/**
 * Whether a repeated call of a tool is answered from the memo. `reads` are its inputs besides its arguments and the policy. `leaves` is what it
 * changes: a remembered answer holds only while all of that is as the call left it. What a tool both reads and replaces is only under `leaves`,
 * because a second call would find what the first one made.
 */
export type MemoRule =
  | { readonly kind: 'remembered'; readonly reads: MemoParts; readonly leaves: MemoParts }
  | { readonly kind: 'computed'; readonly reason: string };

/** The rule of each tool of the planner. */
export const memoRules: Readonly<Record<PlanningTool, MemoRule>> = {
  open_session: { kind: 'computed', reason: 'It opens the session: there is nothing before it.' },
  context_elicitor: {
    kind: 'remembered',
    // While an outline is drafted, fewer questions are asked.
    reads: { files: [planPaths.portfolio], session: ['band', 'stage'] },
    leaves: { artifacts: ['context'], session: ['questions'] },
  },
  preference_probe: {
    kind: 'computed',
    reason: 'It has a question asked, or records what the person said as an event: each call is one statement.',
  },
  portfolio_probe: { kind: 'computed', reason: 'What it reads are the other plans as they are now.' },
  brainstormer: {
    kind: 'remembered',
    reads: { session: ['band', 'messages', 'stage'] },
    leaves: { session: ['ideas'] },
  },
  pattern_selector: {
    kind: 'remembered',
    // A proposal that was decided since is raised or used differently.
    reads: { session: ['approvedProposals', 'patterns', 'refusedProposals', 'settings'] },
    leaves: { artifacts: ['context'], session: ['patternDistance', 'proposal', 'selectedPattern'] },
  },
  node_generator: {
    kind: 'remembered',
    reads: { artifacts: ['context'], session: ['selectedPattern'] },
    // Words of the person that the draft is to follow make it another one.
    leaves: { artifacts: ['outline'], session: ['hasFeedback'] },
  },
  grammar_validator: {
    kind: 'remembered',
    reads: {
      // A schedule is recorded only after its stage, so that its file counts.
      files: [planPaths.context, planPaths.outline, planPaths.roadmap, planPaths.schedule],
      session: ['hashes', 'patterns', 'selectedPattern', 'stage'],
    },
    leaves: {},
  },
  dependency_resolver: {
    kind: 'remembered',
    reads: { files: [planPaths.context, planPaths.outline] },
    leaves: { files: [planPaths.dependencies] },
  },
  option_crafter: { kind: 'remembered', reads: { artifacts: ['outline'] }, leaves: { session: ['options'] } },
  roadmap_builder: {
    kind: 'remembered',
    reads: { artifacts: ['outline'], files: [planPaths.dependencies], session: ['selectedPattern'] },
    leaves: { artifacts: ['roadmap'], session: ['hasFeedback'] },
  },
  schedule_generator: {
    kind: 'remembered',
    reads: { files: [planPaths.context, planPaths.outline, planPaths.roadmap, planPaths.portfolio] },
    leaves: { files: [planPaths.schedule, planPaths.conflict] },
  },
  summarizer: {
    kind: 'remembered',
    reads: { session: ['approval', 'stage'] },
    leaves: { session: ['escalateReason', 'planningStatus', 'responseText'] },
  },
  approval_handler: { kind: 'computed', reason: 'Each approval is an act of a person.' },
};
