import type { ChatRequest, EventId, JobId } from '@phaseline/contracts';
import type { Precedent } from '@phaseline/domain';
import { RecordedPrompts } from '@phaseline/time-travel';
import { checkJob } from '@phaseline/what-if';
import { expect, it } from 'vitest';
import { fetchAndWrite, positionOf, useForks } from './fork.fixture.js';

const { opened, playJob, forkJob } = useForks();

const precedent = (text: string): Precedent => ({
  ...{ trace: '01890000-0000-7000-8000-000000000009' as EventId, scope: 'project', text },
});

/** Plays a job whose phases begin with what a search finds, which a spec can change. */
async function play(first: readonly Precedent[]) {
  const found = { precedents: first };
  const tasks: string[] = [];
  const requests: ChatRequest[] = [];
  const parent = await playJob(
    (request, signal) => {
      requests.push(request);
      return fetchAndWrite(request, signal);
    },
    {
      searchPrecedents: async (_jobId: JobId, task) => {
        tasks.push(task);
        return found.precedents;
      },
    },
  );
  const startsOf = async (jobId: JobId) =>
    (await opened.store.readCorrelation(jobId)).filter(({ type }) => type === 'PhaseStarted');
  return { ...parent, found, tasks, requests, startsOf };
}

const precedentsOf = ({ data }: { readonly data: object }) =>
  (data as { plan: { precedents?: unknown } }).plan.precedents;

it('the first user message of a phase quotes what the search found, and the system prompt does not', async () => {
  const { requests, tasks, startsOf, jobId } = await play([precedent('Mind page 9.')]);
  for (const { messages } of requests) {
    const containing = messages.filter(({ content }) => content.includes('Mind page 9.'));
    expect(containing.map(({ role }) => role)).toEqual(['user']);
    expect(containing[0]!.content).toContain('> 01890000-0000-7000-8000-000000000009 (project) Mind page 9.');
  }
  const starts = await startsOf(jobId);
  expect(starts.map(precedentsOf)).toEqual(starts.map(() => [precedent('Mind page 9.')]));
  expect(tasks).toHaveLength(starts.length);
  for (const [index, task] of tasks.entries())
    expect(task).toContain((starts[index]!.data as { identity: { name: string } }).identity.name);
});

it('without a promoted learning trace nothing is recorded', async () => {
  const { requests, startsOf, jobId } = await play([]);
  for (const { data } of await startsOf(jobId)) expect(data['plan']).not.toHaveProperty('precedents');
  expect(JSON.stringify(requests)).not.toContain('Precedents');
});

it('what is promoted later changes neither rebuilt prompts nor decisions nor recorded forks', async () => {
  const { engine, events, jobId, found, tasks, startsOf } = await play([precedent('Mind page 9.')]);
  const searches = tasks.length;
  found.precedents = [precedent('Another one.')];
  const prompt = await new RecordedPrompts(opened.store, engine.tools).rebuild(jobId, 2, 1);
  expect(prompt).toMatchObject({ isExact: true });
  const { decisions, differences } = await checkJob(opened.store, jobId, { tools: engine.tools });
  expect(differences).toEqual([]);
  expect(decisions).toBeGreaterThan(5);

  const recorded = await forkJob(engine, jobId, { position: positionOf(events, 'PhaseStarted'), mode: 'recorded' });
  await engine.run(recorded);
  expect((await engine.loadJob(recorded)).status).toBe('completed');
  // The first phase continues that of the parent.
  expect((await startsOf(recorded)).map(precedentsOf)).toEqual((await startsOf(jobId)).slice(1).map(precedentsOf));
  expect(tasks).toHaveLength(searches);

  const live = await forkJob(engine, jobId, { position: positionOf(events, 'PhaseStarted'), mode: 'live' });
  await engine.run(live);
  for (const start of await startsOf(live)) expect(precedentsOf(start)).toEqual([precedent('Another one.')]);
});
