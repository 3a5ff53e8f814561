import type { RehearsalAnswer, RehearsalCall } from '../../rehearsal-policy.js';
import { act, call, callsOf, finish, giveUp, lastResult, type PastCall, type Scene } from '../scene.js';
import { BATCH } from './strategic-phases.js';

/** Less sure than this is not worth a place in the graph. */
const DOUBTFUL = 0.3;

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
  readonly verdict: string;
  readonly target?: string;
  readonly targetLabel?: string;
  readonly confidence?: number;
  readonly evidence?: string;
}

/** A look at the graph, then batch after batch. */
export function validating(scene: Scene): RehearsalAnswer {
  const { todo, onTodo } = scene;
  if (todo.content.startsWith('Batch ')) return batch(onTodo);
  if (!todo.content.startsWith('Look at the schema'))
    return finish('Noted.', call('append_file', { path: 'notes/graph.md', content: '\nThe batches are done.\n' }));
  if (onTodo.length === 0) return act('', call('get_database_schema'), call('count_graph_statistics'));
  const text = ['# Graph', '', ...onTodo.map(({ result }) => result), ''].join('\n');
  return finish('Noted.', call('write_file', { path: 'notes/graph.md', content: text }));
}

/** One step of a batch follows from what its tools have answered so far. */
function batch(onTodo: readonly PastCall[]): RehearsalAnswer {
  const claimed = lastResult(onTodo, 'claim_requirements_from_cache');
  if (claimed === undefined) return act('', call('claim_requirements_from_cache', { limit: BATCH }));
  const claims = jsonLines<Claim>(claimed);
  if (claims.length === 0) {
    if (claimed.startsWith('No requirement waits')) return finish(claimed);
    return giveUp(claimed);
  }
  const checks = callsOf(onTodo, 'check_for_duplicates');
  if (checks.length < claims.length) return act('', ...checking(claims));
  const doubtful = new Set(claims.filter(({ confidence }) => confidence < DOUBTFUL).map(({ entry }) => entry));
  const duplicates = new Map(claims.flatMap(({ entry }, i) => duplicateOf(entry, checks[i]!.result)));
  const valid = claims.filter(({ entry }) => !doubtful.has(entry) && !duplicates.has(entry));
  const created = callsOf(onTodo, 'create_requirement_node');
  if (created.length < valid.length) return act('', ...valid.map(creating));
  const assessed = assessments(onTodo);
  const integrated = valid.filter((_, i) => /^Created |is in the graph already/.test(created[i]!.result));
  const relations = integrated.flatMap(({ id }) => relating(id, assessed.get(id)));
  if (callsOf(onTodo, 'create_fulfillment_relationship').length < relations.length) return act('', ...relations);
  const marks = callsOf(onTodo, 'mark_cached_requirement');
  if (marks.length < claims.length) {
    const notes = new Map<number, string>();
    for (const { entry } of claims.filter((claim) => doubtful.has(claim.entry)))
      notes.set(entry, 'rejected: too doubtful to be a requirement');
    for (const [entry, rid] of duplicates) notes.set(entry, `duplicate of ${rid}`);
    for (const { entry, id } of integrated) notes.set(entry, integratedNote(id, assessed.get(id)));
    return act('', ...claims.map((claim) => marking(claim, notes.get(claim.entry), failureOf(claim, valid, created))));
  }
  const lost = marks.filter(({ result }) => !/^Entry \d+ is /.test(result)).length;
  return finish(
    `${claims.length} claimed: ${integrated.length} integrated, ${duplicates.size} duplicates, ${doubtful.size} rejected${lost === 0 ? '' : `, ${lost} claims lost`}.`,
  );
}

function checking(claims: readonly Claim[]): readonly RehearsalCall[] {
  const requirements = claims.map(({ id, text }) => ({ rid: id, text }));
  const checks = claims.map(({ id, text }, i) =>
    // Those before it in the batch are not in the graph yet.
    call('check_for_duplicates', { text, rid: id, among: requirements.slice(0, i) }),
  );
  return [...checks, call('assess_fulfillment', { requirements })];
}

function duplicateOf(entry: number, answer: string): readonly (readonly [number, string])[] {
  const [, rid] = /^- (\S+) \(/m.exec(answer) ?? [];
  return rid === undefined ? [] : [[entry, rid]];
}

function creating({ id, text, modality, citation, confidence }: Claim): RehearsalCall {
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

function assessments(onTodo: readonly PastCall[]): ReadonlyMap<string, Assessment> {
  const lines = jsonLines<Assessment & { rid: string }>(lastResult(onTodo, 'assess_fulfillment') ?? '');
  return new Map(lines.map((line) => [line.rid, line]));
}

function relating(rid: string, assessed: Assessment | undefined): readonly RehearsalCall[] {
  const { verdict, target, targetLabel, confidence, evidence } = assessed ?? {};
  if (!target || !targetLabel) return [];
  return [
    call('create_fulfillment_relationship', {
      rid,
      target,
      targetLabel,
      type: verdict === 'fulfilled' ? 'FULFILLED_BY' : 'NOT_FULFILLED_BY',
      confidence: confidence ?? 0,
      evidence: evidence ?? 'The text names it.',
    }),
  ];
}

function integratedNote(rid: string, assessed: Assessment | undefined): string {
  if (!assessed?.target) return `integrated as ${rid}; undecided`;
  return `integrated as ${rid}; ${assessed.verdict} by ${assessed.target} (${assessed.confidence ?? 0})`;
}

function failureOf(claim: Claim, valid: readonly Claim[], created: readonly PastCall[]): string {
  return created[valid.indexOf(claim)]?.result.slice(0, 1_000) ?? 'was not judged';
}

function marking({ entry, token }: Claim, note: string | undefined, failure: string): RehearsalCall {
  return note === undefined
    ? call('mark_cached_requirement', { entry, token, outcome: 'failed', note: `not integrated: ${failure}` })
    : call('mark_cached_requirement', { entry, token, outcome: 'done', note });
}

function jsonLines<T>(text: string): readonly T[] {
  return text.split('\n').flatMap((line): T[] => {
    try {
      return line.startsWith('{') ? [JSON.parse(line) as T] : [];
    } catch {
      return [];
    }
  });
}
