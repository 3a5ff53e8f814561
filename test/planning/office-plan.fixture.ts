import type { RehearsalPolicy } from '@phaseline/rehearsal';

/** Tasks of the plan by id, in a possible order, with the agents of two of them. */
export const officeTasks = {
  measure: { title: 'Measure the rooms', agent: undefined },
  offers: { title: 'Collect offers for desks', agent: 'researcher' },
  choose: { title: 'Choose an offer', agent: undefined },
  order: { title: 'Order the desks', agent: undefined },
  guide: { title: 'Write a guide to the new rooms', agent: 'writer' },
  move: { title: 'Move', agent: undefined },
} as const;

/** Pairs of tasks of which the second begins after the first has ended. */
export const officeDependencies = [
  ['measure', 'offers'],
  ['offers', 'choose'],
  ['choose', 'order'],
  ['measure', 'guide'],
  ['order', 'move'],
  ['guide', 'move'],
] as const;

const confidence = 0.9;
type Call = readonly [name: string, args: object];

/** The first tool that is offered names the stage: the context can also change while an outline is drafted. */
const stages: readonly (readonly [tool: string, calls: readonly Call[]])[] = [
  [
    'node_generator',
    [
      [
        'pattern_selector',
        { features: { end_date: 1, recurrence: 0, cumulative_measure: 0, change_of_state: 0 }, confidence },
      ],
      ['node_generator', { nodes: buildNodes(), confidence }],
    ],
  ],
  [
    'context_elicitor',
    [['context_elicitor', { start: '2027-01-04', end: '2027-01-29', zone: 'Europe/Berlin', confidence }]],
  ],
  ['roadmap_builder', [['roadmap_builder', buildRoadmap()]]],
  ['schedule_generator', [['schedule_generator', { confidence }]]],
  [
    'summarizer',
    [['summarizer', { text: 'The office moves in January.', call_to_action: "Reply 'approve'.", confidence }]],
  ],
];

function buildNodes(): readonly object[] {
  const tasks = Object.entries(officeTasks).map(([id, { title, agent }]) => ({
    ...{ id, parent: 'ready', level: 'L3', time: 'once', title, estimate_minutes: 240 },
    ...(agent === undefined ? {} : { agent }),
  }));
  return [
    { id: 'office', parent: null, level: 'L1', time: 'once', title: 'Move to the new office' },
    {
      ...{ id: 'ready', parent: 'office', level: 'L2', time: 'once', title: 'Everybody works in the new office' },
      end_criterion: 'Each desk is in use.',
    },
    ...tasks,
  ];
}

function buildRoadmap(): object {
  return {
    phases: [{ node: 'office', may_overlap: false, milestones: [{ node: 'ready' }], tasks: Object.keys(officeTasks) }],
    dependencies: officeDependencies.map(([from, to]) => ({ from, to, kind: 'FS' })),
    options_tried: [
      { id: 'a', title: 'Desks first', reason: 'Nobody works on the floor.' },
      { id: 'b', title: 'Move first', reason: 'The rooms would be empty.' },
    ],
    choice: { option: 'a', reason: 'It needs one day less.' },
    confidence,
  };
}

/** Plays the planner with a plan of six tasks, two of which name agents. */
export const officePlanner: RehearsalPolicy = {
  name: 'office-planner',
  matches: ({ toolNames }) => stages.some(([tool]) => toolNames.includes(tool)),
  answer({ toolNames }) {
    const [, calls] = stages.find(([tool]) => toolNames.includes(tool))!;
    return { calls: calls.map(([name, args]) => ({ name, arguments: { ...args } })) };
  },
};
