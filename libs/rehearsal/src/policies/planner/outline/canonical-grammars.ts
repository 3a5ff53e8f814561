/** Grammars and features of the canonical patterns, as in agents/planner/patterns: a new pattern departs from one of them. A spec compares them. */
export const canonicalGrammars = {
  hybrid_project_cycle: {
    contains: {
      plan: ['L1 once', 'L1 recurring'],
      'L1 once': ['L2 once', 'L3 once'],
      'L1 recurring': ['L2 recurring', 'L3 recurring'],
      'L2 once': ['L3 once'],
      'L2 recurring': ['L3 recurring'],
      'L3 once': ['L4 once'],
      'L3 recurring': ['L4 recurring'],
    },
    level1: { min: 2, max: 12, mayOverlap: true },
    needs: ['L1 once', 'L1 recurring', 'L2 once', 'L3 recurring'],
    ends: { criterion: ['L2 once'], recurrence: ['L1 recurring'] },
    features: {
      endDate: { expected: 1, weight: 2 },
      recurrence: { expected: 1, weight: 3 },
      cumulativeMeasure: { expected: 0, weight: 2 },
      changeOfState: { expected: 0, weight: 2 },
    },
  },
  milestone_project: {
    contains: { plan: ['L1 once'], 'L1 once': ['L2 once', 'L3 once'], 'L2 once': ['L3 once'], 'L3 once': ['L4 once'] },
    level1: { min: 1, max: 12, mayOverlap: true },
    needs: ['L2 once', 'L3 once'],
    ends: { criterion: ['L2 once'] },
    features: {
      endDate: { expected: 1, weight: 2 },
      recurrence: { expected: 0, weight: 2 },
      cumulativeMeasure: { expected: 0, weight: 2 },
      changeOfState: { expected: 0, weight: 2 },
    },
  },
  progressive_accumulation_arc: {
    contains: {
      plan: ['L1 cumulative'],
      'L1 cumulative': ['L2 cumulative', 'L3 cumulative', 'L3 recurring', 'L3 once'],
      'L2 cumulative': ['L3 cumulative', 'L3 recurring', 'L3 once'],
      'L3 cumulative': ['L4 cumulative'],
      'L3 recurring': ['L4 recurring'],
      'L3 once': ['L4 once'],
    },
    level1: { min: 1, max: 6, mayOverlap: true },
    needs: ['L2 cumulative'],
    ends: { criterion: ['L2 cumulative'], target: ['L1 cumulative'] },
    features: {
      endDate: { expected: 0.5, weight: 1 },
      recurrence: { expected: 0.5, weight: 1 },
      cumulativeMeasure: { expected: 1, weight: 4 },
      changeOfState: { expected: 0, weight: 2 },
    },
  },
  recurring_cycle: {
    contains: {
      plan: ['L1 recurring'],
      'L1 recurring': ['L2 recurring', 'L3 recurring', 'L3 once'],
      'L2 recurring': ['L3 recurring'],
      'L3 recurring': ['L4 recurring'],
      'L3 once': ['L4 once'],
    },
    level1: { min: 1, max: 8, mayOverlap: true },
    needs: ['L3 recurring'],
    ends: { recurrence: ['L1 recurring'] },
    features: {
      endDate: { expected: 0, weight: 1 },
      recurrence: { expected: 1, weight: 3 },
      cumulativeMeasure: { expected: 0, weight: 2 },
      changeOfState: { expected: 0, weight: 2 },
    },
  },
  strategic_transformation: {
    contains: {
      plan: ['L1 once'],
      'L1 once': ['L2 once', 'L2 cumulative', 'L3 once', 'L3 recurring'],
      'L2 once': ['L3 once', 'L3 recurring'],
      'L2 cumulative': ['L3 once', 'L3 recurring'],
      'L3 once': ['L4 once'],
      'L3 recurring': ['L4 recurring'],
    },
    level1: { min: 2, max: 8, mayOverlap: false },
    needs: ['L2 once'],
    ends: { criterion: ['L1 once'], target: ['L2 cumulative'] },
    features: {
      endDate: { expected: 0.5, weight: 1 },
      recurrence: { expected: 0.5, weight: 1 },
      cumulativeMeasure: { expected: 0.5, weight: 1 },
      changeOfState: { expected: 1, weight: 4 },
    },
  },
} as const;
export type CanonicalName = keyof typeof canonicalGrammars;
