import type { EventId, JobId } from '@phaseline/contracts';
import { expect, it } from 'vitest';
import { foldScope, promoteTrace, withdrawTrace, type PromotionDecision } from './decide-promotion.js';

const trace = { trace: 'e1' as EventId, jobId: 'j1' as JobId, tenant: 'red', person: 'ada' };
const request = { actor: 'bob', reason: 'helps' };

function listEvents(decision: PromotionDecision) {
  if ('refused' in decision) throw new Error(decision.refused);
  return decision.events;
}

it('a promotion names who, why and both scopes, and the last event decides the scope', () => {
  const first = listEvents(promoteTrace('job', trace, 'project', request));
  expect(first).toEqual([
    {
      type: 'LearningTracePromoted',
      data: { trace: 'e1', jobId: 'j1', tenant: 'red', ...request, from: 'job', to: 'project' },
    },
  ]);
  expect(foldScope([])).toBe('job');
  expect(foldScope(first)).toBe('project');
  const second = listEvents(promoteTrace('project', trace, 'universal', request));
  expect(foldScope([...first, ...second])).toBe('universal');
  const withdrawn = listEvents(withdrawTrace('universal', trace, request));
  expect(withdrawn).toMatchObject([{ type: 'LearningTraceWithdrawn', data: { actor: 'bob', from: 'universal' } }]);
  expect(foldScope([...first, ...second, ...withdrawn])).toBe('job');
});

it('the same scope records nothing', () => {
  expect(promoteTrace('project', trace, 'project', request)).toEqual({ events: [] });
  expect(withdrawTrace('job', trace, request)).toEqual({ events: [] });
});

it('the person of the job may withdraw, and not promote', () => {
  const own = { ...request, actor: 'ada' };
  expect(promoteTrace('job', trace, 'project', own)).toEqual({
    refused: 'the job of the learning trace ran for ada; another person has to promote it',
  });
  expect(listEvents(withdrawTrace('project', trace, own))).toHaveLength(1);
});
