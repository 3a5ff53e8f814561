import type { ArtifactKind } from '../artifacts/adaptation-log-entry.js';

/** `retryable`: the planner drafts again. `fatal`: a person has to decide something first. */
export const severities = ['retryable', 'fatal'] as const;
type Severity = (typeof severities)[number];

export type ValidatedKind = Exclude<ArtifactKind, 'context'>;

export interface ViolationKind {
  /** Artifacts whose validation applies the rule. */
  readonly artifacts: readonly ValidatedKind[];
  readonly severity: Severity;
  /** How much the rule counts in the validator score. */
  readonly weight: number;
  /** The rule, as a statement about a valid artifact. */
  readonly rule: string;
}

/** Weights: what makes everything after it worthless, what a draft lacks, and what is merely untidy. */
const STRUCTURE = 3;
const CONTENT = 2;
const TIDINESS = 1;

const every = ['outline', 'roadmap', 'schedule'] as const;
const outline = ['outline'] as const;
const roadmap = ['roadmap'] as const;
const schedule = ['schedule'] as const;
const rules = ['outline', 'schedule'] as const;

const retryable = (artifacts: readonly ValidatedKind[], weight: number, rule: string): ViolationKind => ({
  ...{ artifacts, severity: 'retryable', weight, rule },
});
const fatal = (artifacts: readonly ValidatedKind[], weight: number, rule: string): ViolationKind => ({
  ...{ artifacts, severity: 'fatal', weight, rule },
});

/** Every kind of violation that needs no calendar. */
export const violationKinds = {
  artifact_malformed: retryable(every, STRUCTURE, 'The artifact has the fields of its schema'),
  parent_hash_differs: retryable(
    every,
    STRUCTURE,
    'The artifact names the hash of the artifact from which it was made',
  ),
  pattern_mirror_differs: retryable(['outline', 'roadmap'], CONTENT, 'The pattern equals the selected pattern'),
  pattern_unknown: fatal(['outline', 'roadmap'], STRUCTURE, 'The selected pattern is canonical or approved'),
  dates_contradict: fatal(outline, STRUCTURE, 'The plan does not end before it starts'),

  node_duplicated: retryable(outline, STRUCTURE, 'Ids of nodes are unique'),
  node_unreachable: retryable(outline, STRUCTURE, 'The parent of a node exists'),
  parent_cycle: retryable(outline, STRUCTURE, 'No node contains itself'),
  containment_wrong: retryable(outline, STRUCTURE, 'A node contains only the kinds that its pattern allows'),
  pattern_kind_unknown: retryable(outline, STRUCTURE, 'Each node has a kind (level and time) of the pattern'),
  pattern_part_missing: retryable(outline, CONTENT, 'The plan has a node of each kind that the pattern needs'),
  level1_missing: retryable(outline, STRUCTURE, 'The plan has as many L1 nodes as the pattern needs'),
  level1_surplus: retryable(outline, CONTENT, 'The plan has no more L1 nodes than the pattern allows'),
  level1_doubled: retryable(outline, TIDINESS, 'Titles of L1 nodes are different'),
  node_empty: retryable(outline, CONTENT, 'Each L1 and L2 node contains something'),
  estimate_missing: retryable(outline, CONTENT, 'Each task has an estimate'),
  estimate_below_parts: retryable(outline, TIDINESS, 'The estimate of a task is not less than the sum of its actions'),
  end_criterion_missing: retryable(outline, CONTENT, 'Each node whose kind ends by a criterion has one'),
  measure_missing: retryable(
    outline,
    CONTENT,
    'Each cumulative node has a measure with targets, or is below one that has',
  ),
  measure_misplaced: retryable(outline, TIDINESS, 'Only cumulative nodes have measures'),
  targets_not_rising: retryable(outline, CONTENT, 'The targets of a measure rise'),
  recurrence_missing: retryable(rules, CONTENT, 'Each recurring node has a recurrence rule, or is below one that has'),
  recurrence_malformed: retryable(rules, CONTENT, 'Recurrence rules are written as in RFC 5545'),
  recurrence_endless: retryable(rules, CONTENT, 'Recurrence rules end, by COUNT or UNTIL'),
  recurrence_misplaced: retryable(rules, TIDINESS, 'Nodes that are done once have no recurrence rule'),

  node_uncovered: retryable(roadmap, STRUCTURE, 'Each node of the outline is in the roadmap'),
  node_repeated: retryable(roadmap, STRUCTURE, 'No node is in the roadmap more than once'),
  entry_unknown: retryable(roadmap, STRUCTURE, 'Each entry of the roadmap is a node of the outline'),
  entry_level_wrong: retryable(roadmap, CONTENT, 'Phases are L1, milestones L2, tasks L3 and L4'),
  milestone_out_of_phase: retryable(roadmap, CONTENT, 'Milestones are in the phase that contains them'),
  task_out_of_phase: retryable(roadmap, CONTENT, 'Tasks are in the phase that contains them'),
  phase_overlap_forbidden: retryable(roadmap, CONTENT, 'Phases overlap only if the pattern allows it'),
  dependency_unknown: retryable(roadmap, STRUCTURE, 'Dependencies connect nodes of the outline'),
  dependency_self: retryable(roadmap, STRUCTURE, 'No node depends on itself'),
  dependency_of_relatives: retryable(
    roadmap,
    STRUCTURE,
    'No node depends on a node that contains it, or that it contains',
  ),
  dependency_repeated: retryable(roadmap, TIDINESS, 'Two nodes have at most one dependency of each kind'),
  dependency_cycle: retryable(roadmap, STRUCTURE, 'Dependencies form no cycle'),
  dependency_against_phases: retryable(roadmap, STRUCTURE, 'Nothing depends on a phase that begins only after it'),
  options_too_few: retryable(roadmap, CONTENT, 'At least two options were tried'),
  option_repeated: retryable(roadmap, TIDINESS, 'Options are different'),
  choice_unknown: retryable(roadmap, CONTENT, 'The choice is one of the options'),

  task_unplaced: retryable(schedule, STRUCTURE, 'Each task of the outline is in the schedule'),
  task_repeated: retryable(schedule, STRUCTURE, 'No task is in the schedule more than once'),
  task_unknown: retryable(schedule, STRUCTURE, 'Each entry of the schedule is a task of the outline'),
  end_before_start: retryable(schedule, STRUCTURE, 'Tasks end after they start'),
  placement_too_short: retryable(schedule, CONTENT, 'The time of a task is not shorter than its estimate'),
  zone_unknown: retryable(schedule, CONTENT, 'Each task names a time zone that exists'),
  phases_overlap: retryable(
    schedule,
    STRUCTURE,
    'A phase that may not overlap begins after the one before it has ended',
  ),
  dependency_violated: retryable(
    schedule,
    STRUCTURE,
    'Dependencies hold, as far as they can be checked without a calendar',
  ),
} as const satisfies Readonly<Record<string, ViolationKind>>;
export type ViolationCode = keyof typeof violationKinds;
export const violationCodes = Object.keys(violationKinds) as readonly ViolationCode[];

/**
 * Computes the validator score of an artifact: 1 minus the weighted share of violated rules. A rule counts once, also if many nodes violate
 * it.
 */
export function computeValidatorScore(artifact: ValidatedKind, violated: ReadonlySet<ViolationCode>): number {
  const applied = violationCodes.filter((code) => violationKinds[code].artifacts.some((kind) => kind === artifact));
  const sum = (codes: readonly ViolationCode[]): number =>
    codes.reduce((total, code) => total + violationKinds[code].weight, 0);
  return 1 - sum(applied.filter((code) => violated.has(code))) / sum(applied);
}
