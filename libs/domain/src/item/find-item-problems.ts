import type { PhaseState } from '../phase/phase-state.js';
import type { Item, Proof } from './item.js';

/** Which kind of verifier runs which kind of case; any other kind runs tests. */
const casesOfKind: Readonly<Record<string, 'requests' | 'queries'>> = { api: 'requests', database: 'queries' };

/** Finds what is wrong with the items that an agent hands in, one text per problem. Their shape was checked before. */
export function findItemProblems({ start }: PhaseState, items: readonly Item[]): readonly string[] {
  const known = start.plan.listing?.verifiers ?? [];
  const ids = new Set<string>();
  return items.flatMap((item) => {
    const problems = [...findProblemsOfItem(item, known), ...(ids.has(item.id) ? ['two items have this id'] : [])];
    ids.add(item.id);
    return problems.map((problem) => `${item.id}: ${problem}`);
  });
}

type Known = NonNullable<PhaseState['start']['plan']['listing']>['verifiers'];

function* findProblemsOfItem({ ui, checks }: Item, known: Known): Generator<string> {
  const named = new Set<string>();
  for (const check of checks) {
    if (named.has(check.verifier))
      yield `names the verifier ${check.verifier} twice; give all its cases in one entry of 'checks'`;
    named.add(check.verifier);
    yield* findProblemsOfCheck(check, known);
  }
  const isSeen = checks.some(({ verifier }) => known.find(({ name }) => name === verifier)?.kind === 'browser');
  if (ui && !isSeen) {
    const names = known.filter(({ kind }) => kind === 'browser').map(({ name }) => name);
    const hint = names.length > 0 ? ` Known: ${names.join(', ')}.` : ' This job has none, so it can have no such item.';
    yield `has a user interface, so it needs a check by a verifier of the kind browser.${hint}`;
  }
}

function* findProblemsOfCheck({ verifier, tests, requests, queries }: Proof, known: Known): Generator<string> {
  const found = known.find(({ name }) => name === verifier);
  if (!found) {
    yield `there is no verifier ${verifier}. Known: ${known.map(({ name }) => name).join(', ') || 'none'}`;
    return;
  }
  const expected = casesOfKind[found.kind ?? ''] ?? 'tests';
  const given = { tests, requests, queries };
  if (given[expected] === undefined) yield `the verifier ${verifier} needs '${expected}'`;
}
