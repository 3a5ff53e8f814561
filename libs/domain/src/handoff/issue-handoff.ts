import { matchesGlob } from '@phaseline/checks';
import type { ItemState } from '../item/job-items.js';
import { getStateAgent } from '../agent/state-agents.js';
import type { JobEvent } from '../job/job-events.js';
import type { JobState } from '../job/job-state.js';
import type { PhaseState } from '../phase/phase-state.js';
import { listChangedFiles, type PhaseTree } from '../phase/state/tree.js';
import type { HandoffSettings } from '../workflow/workflow.js';
import type { Handoff } from './handoff-events.js';
import { findLineCoverage } from './line-coverage.js';
import type { OpenHandoff } from './open-handoff.js';

/** Maximum number of changed files that a handoff names, and of files in its artifacts. */
const MAX_NAMED_FILES = 50;
const MAX_ARTIFACTS = 5;

interface Receiver {
  readonly state: string;
  readonly item?: ItemState | undefined;
}

/** Builds what a phase that ended hands over to the agent of the next state. Its name derives from the phase, so issuing it twice is issuing it once. */
export function buildHandoff(job: JobState, phase: PhaseState, settings: HandoffSettings, receiver: Receiver): Handoff {
  const { identity, workspace } = phase.start;
  const { workflow } = job.definition;
  const state = workflow.states[receiver.state]!;
  const changed = listChangedFiles(workspace.tree, phase.tree);
  const after = state.finish === undefined ? undefined : state.outcomes[state.finish];
  const next = after && 'to' in after ? workflow.states[after.to] : undefined;
  return {
    handoff: `handoff-${identity.phase}`,
    from: identity.agent.name,
    agent: getStateAgent(job.definition, state).name,
    task: receiver.item ? `${state.title}: ${receiver.item.description}` : state.title,
    context: {
      ...(receiver.item ? { featureId: receiver.item.id } : {}),
      filesChanged: changed.slice(0, MAX_NAMED_FILES),
      filesChangedTotal: changed.length,
      previousState: identity.state,
    },
    artifacts: listArtifacts(phase),
    preconditions: settings.requires,
    successCriteria: { testsPass: true, coverageMin: settings.coverageMin },
    ...(next ? { nextAgent: getStateAgent(job.definition, next).name } : {}),
    ...(settings.timeoutMs === undefined ? {} : { timeoutMs: settings.timeoutMs }),
  };
}

/** Explains which precondition of a handoff does not hold; `undefined` if all hold. */
export function findMissingPrecondition({ preconditions }: Handoff, tree: PhaseTree): string | undefined {
  const paths = Object.keys(tree);
  const missing = preconditions.filter((glob) => !paths.some((path) => path === glob || matchesGlob(glob, path)));
  return missing.length === 0 ? undefined : `these files are missing: ${missing.join(', ')}`;
}

/** Ends the open handoff of a job with the end of the phase that received it. */
export function endHandoff(open: OpenHandoff | undefined, phase: PhaseState, reason?: string): readonly JobEvent[] {
  const number = phase.start.identity.phase;
  if (!open || open.receiver === undefined) return [];
  const { handoff } = open;
  if (phase.end?.kind === 'completed' && reason === undefined) {
    const { outcome } = phase.end;
    const coverage = findLineCoverage(phase) ?? ('not measured' as const);
    return [{ type: 'HandoffCompleted', data: { handoff, phase: number, outcome, coverage } }];
  }
  return [{ type: 'HandoffRefused', data: { handoff, phase: number, reason: reason ?? 'its phase did not complete' } }];
}

function listArtifacts({ end }: PhaseState): string[] {
  const named = end?.kind === 'completed' ? end.returned?.result['artifacts'] : undefined;
  if (!Array.isArray(named)) return [];
  return named.filter((path) => typeof path === 'string').slice(0, MAX_ARTIFACTS);
}
