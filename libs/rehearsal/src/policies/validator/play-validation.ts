import type { RehearsalAnswer, RehearsalCall } from '../../rehearsal-policy.js';
import type { PastCall } from '../past-call.js';
import {
  act,
  call,
  filterCalls,
  finishTodo,
  reportBlocked,
  findLastResult,
  recallResult,
  type Scene,
} from '../scene.js';
import { GRAPH_NOTES, REQUIREMENTS_PER_BATCH } from './strategic-phases.js';

/** Claims with a lower confidence are rejected. */
const MIN_CONFIDENCE = 0.3;

interface Claim {
  readonly entry: number;
  readonly token: number;
  readonly id: string;
  readonly text: string;
  readonly modality: string;
  readonly citation: Readonly<Record<string, unknown>>;
  readonly confidence: number;
}

interface Assessment {
  readonly assessment: string;
  readonly target?: string;
  readonly targetLabel?: string;
  readonly confidence?: number;
  readonly evidence?: string;
}

/** Plays the validation phase: describes the graph, then processes the batches. */
export function playValidation(scene: Scene): RehearsalAnswer {
  const { todo, callsOnTodo } = scene;
  if (todo.content.startsWith('Batch ')) return playBatch(scene);
  if (!todo.content.startsWith('Look at the schema'))
    return finishTodo('Noted.', call('append_file', { path: GRAPH_NOTES, content: '\nThe batches are done.\n' }));
  if (callsOnTodo.length === 0) return act('', call('get_database_schema'), call('count_graph_statistics'));
  const text = ['# Graph', '', ...callsOnTodo.map(({ result }) => result), ''].join('\n');
  return finishTodo('Noted.', call('write_file', { path: GRAPH_NOTES, content: text }));
}

/**
 * Plays the next step of a batch, derived from the tool results so far. Each result is used in the next answer, while it is in
 * the prompt; later steps rely on the arguments of past calls.
 */
function playBatch(scene: Scene): RehearsalAnswer {
  const { callsOnTodo, latestCalls } = scene;
  const claimCall = filterCalls(callsOnTodo, 'claim_requirements_from_cache').at(-1);
  if (claimCall === undefined) return act('', call('claim_requirements_from_cache', { limit: REQUIREMENTS_PER_BATCH }));
  const claimed = recallResult(scene, claimCall);
  if ('ask' in claimed) return act('', claimed.ask);
  const claims = parseJsonLines<Claim>(claimed.text);
  if (claims.length === 0) {
    if (claimed.text.startsWith('No requirements are pending')) return finishTodo(claimed.text);
    return reportBlocked(claimed.text);
  }
  const created = filterCalls(callsOnTodo, 'create_requirement_node');
  const marks = filterCalls(callsOnTodo, 'mark_cached_requirement');
  if (created.length === 0 && marks.length === 0) return sortClaims(scene, claims);
  const createdIds = new Set(created.map(({ arguments: args }) => args['rid']));
  const valid = claims.filter(({ id }) => createdIds.has(id));
  const marked = new Set(marks.map(({ arguments: args }) => args['entry']));
  const open = valid.filter(({ entry }) => !marked.has(entry));
  if (open.length > 0) {
    const assessed = parseAssessments(latestCalls);
    const failed = new Map(
      filterCalls(latestCalls, 'create_requirement_node').flatMap(({ arguments: args, result, shown }) =>
        shown !== 'whole' || /^Created |is already in the graph/.test(result) ? [] : [[args['rid'], result] as const],
      ),
    );
    const integrated = open.filter(({ id }) => !failed.has(id));
    return act(
      '',
      ...integrated.flatMap(({ id }) => createRelationship(id, assessed.get(id))),
      ...open.map((claim) => {
        const failure = failed.get(claim.id);
        return failure === undefined
          ? markClaim(claim, formatIntegratedNote(claim.id, assessed.get(claim.id)))
          : markClaim(claim, undefined, failure.slice(0, 1_000));
      }),
    );
  }
  const lost = marks.filter(({ result, shown }) => shown === 'whole' && !/^Entry \d+ is /.test(result)).length;
  const duplicates = marks.filter(({ arguments: args }) => String(args['note']).startsWith('duplicate of ')).length;
  const failed = marks.filter(({ arguments: args }) => args['outcome'] === 'failed').length;
  const rejected = marks.filter(({ arguments: args }) => String(args['note']).startsWith('rejected: ')).length;
  return finishTodo(
    `${claims.length} claimed: ${valid.length - failed} integrated, ${duplicates} duplicates, ${rejected} rejected${lost === 0 ? '' : `, ${lost} claims lost`}.`,
  );
}

/** Sorts the claims by the results of the checks: marks doubtful ones and duplicates, adds the others to the graph. */
function sortClaims({ callsOnTodo }: Scene, claims: readonly Claim[]): RehearsalAnswer {
  const answers = claims.map(({ id }) =>
    filterCalls(callsOnTodo, 'check_for_duplicates').findLast(
      ({ arguments: args, shown }) => args['rid'] === id && shown === 'whole',
    ),
  );
  // A result that is no longer in the prompt is requested again; no write since then can have changed it.
  const unchecked = claims.filter((_, i) => answers[i] === undefined);
  if (unchecked.length > 0) return act('', ...unchecked.map((claim) => checkClaim(claim, claims)));
  const duplicates = new Map(claims.flatMap(({ entry }, i) => parseDuplicate(entry, answers[i]!.result)));
  const isDoubtful = ({ confidence }: Claim): boolean => confidence < MIN_CONFIDENCE;
  const valid = claims.filter((claim) => !isDoubtful(claim) && !duplicates.has(claim.entry));
  return act(
    '',
    ...valid.map(createNode),
    ...claims
      .filter((claim) => !valid.includes(claim))
      .map((claim) =>
        markClaim(
          claim,
          isDoubtful(claim) ? 'rejected: probably not a requirement' : `duplicate of ${duplicates.get(claim.entry)}`,
        ),
      ),
    ...(valid.length === 0
      ? []
      : [call('assess_fulfillment', { requirements: valid.map(({ id, text }) => ({ rid: id, text })) })]),
  );
}

function checkClaim({ id, text }: Claim, claims: readonly Claim[]): RehearsalCall {
  // Earlier claims of the batch are not in the graph yet.
  const before = claims.slice(
    0,
    claims.findIndex((claim) => claim.id === id),
  );
  return call('check_for_duplicates', {
    text,
    rid: id,
    among: before.map((claim) => ({ rid: claim.id, text: claim.text })),
  });
}

function parseDuplicate(entry: number, answer: string): readonly (readonly [number, string])[] {
  const [, rid] = /^- (\S+) \(/m.exec(answer) ?? [];
  return rid === undefined ? [] : [[entry, rid]];
}

function createNode({ id, text, modality, citation, confidence }: Claim): RehearsalCall {
  const { document, quote } = citation as { document?: unknown; quote?: unknown };
  return call('create_requirement_node', {
    rid: id,
    text,
    modality,
    confidence,
    ...(typeof document === 'string' ? { source: document.slice(0, 500) } : {}),
    ...(typeof quote === 'string' ? { citation: quote.slice(0, 8_000) } : {}),
  });
}

function parseAssessments(onTodo: readonly PastCall[]): ReadonlyMap<string, Assessment> {
  const lines = parseJsonLines<Assessment & { rid: string }>(findLastResult(onTodo, 'assess_fulfillment') ?? '');
  return new Map(lines.map((line) => [line.rid, line]));
}

function createRelationship(rid: string, assessed: Assessment | undefined): readonly RehearsalCall[] {
  const { assessment, target, targetLabel, confidence, evidence } = assessed ?? {};
  if (!target || !targetLabel) return [];
  return [
    call('create_fulfillment_relationship', {
      rid,
      target,
      targetLabel,
      type: assessment === 'fulfilled' ? 'FULFILLED_BY' : 'NOT_FULFILLED_BY',
      confidence: confidence ?? 0,
      evidence: evidence ?? 'It is named in the text.',
    }),
  ];
}

function formatIntegratedNote(rid: string, assessed: Assessment | undefined): string {
  if (!assessed?.target) return `integrated as ${rid}; undecided`;
  return `integrated as ${rid}; ${assessed.assessment} by ${assessed.target} (${assessed.confidence ?? 0})`;
}

function markClaim({ entry, token }: Claim, note: string | undefined, failure = 'was not judged'): RehearsalCall {
  return note === undefined
    ? call('mark_cached_requirement', { entry, token, outcome: 'failed', note: `not integrated: ${failure}` })
    : call('mark_cached_requirement', { entry, token, outcome: 'done', note });
}

function parseJsonLines<T>(text: string): readonly T[] {
  return text.split('\n').flatMap((line): T[] => {
    try {
      return line.startsWith('{') ? [JSON.parse(line) as T] : [];
    } catch {
      return [];
    }
  });
}
