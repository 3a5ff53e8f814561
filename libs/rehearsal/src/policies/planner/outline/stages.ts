/** A stage of work that is done once, with the texts of its nodes. `subject` is what the goal is about. */
export interface Stage {
  readonly name: string;
  readonly milestone: (subject: string) => string;
  readonly criterion: (subject: string) => string;
  readonly tasks: readonly ((subject: string) => string)[];
  /** Whether work of a stated size belongs here. */
  readonly isMain?: boolean;
  /** Share of the work compared with the other stages. */
  readonly weight: number;
}

const preparation: Stage = {
  name: 'Preparation',
  milestone: (subject) => `Everything is ready for ${subject}`,
  criterion: (subject) => `A list says what ${subject} needs, and everything on it is there.`,
  tasks: [(subject) => `List what is needed for ${subject}`, (subject) => `Get what is missing for ${subject}`],
  weight: 1,
};
const start: Stage = {
  name: 'First part',
  milestone: (subject) => `A first part of ${subject} can be shown`,
  criterion: (subject) => `Another person has seen a first part of ${subject} and said what to change.`,
  tasks: [
    (subject) => `Do a first part of ${subject}`,
    (subject) => `Show the first part of ${subject} and note what to change`,
  ],
  weight: 1.5,
};
const main: Stage = {
  name: 'Main part',
  milestone: (subject) => `The main part of ${subject} is done`,
  criterion: (subject) => `Nothing of the main part of ${subject} is open.`,
  tasks: [(subject) => `Do the larger half of ${subject}`, (subject) => `Do the other half of ${subject}`],
  isMain: true,
  weight: 3,
};
const check: Stage = {
  name: 'Check',
  milestone: (subject) => `${subject} has been checked`,
  criterion: (subject) => `Each point of the list for ${subject} was checked, and faults are corrected.`,
  tasks: [(subject) => `Check ${subject} against the list`, (subject) => `Correct what the check of ${subject} found`],
  weight: 1,
};
const completion: Stage = {
  name: 'Completion',
  milestone: (subject) => `${subject} is complete`,
  criterion: (subject) => `The person who stated the goal says that ${subject} is reached.`,
  tasks: [
    (subject) => `Finish what is open for ${subject}`,
    (subject) => `Look at the result of ${subject} and close the plan`,
  ],
  weight: 1,
};

/** Stages of a project by their number; a longer project has the main part several times. */
export function listProjectStages(count: number): readonly Stage[] {
  switch (count) {
    case 1:
      return [main];
    case 2:
      return [preparation, main];
    case 3:
      return [preparation, main, completion];
    case 4:
      return [preparation, start, main, completion];
    default: {
      const mains = Array.from({ length: count - 4 }, (_, index) =>
        count === 5 ? main : { ...main, name: `Main part ${index + 1}` },
      );
      return [preparation, start, ...mains, check, completion];
    }
  }
}

/** Stages of a transformation: where it stands, steps, the change itself, and what keeps it. */
export function listTransformationStages(count: number, before: string, after: string): readonly Stage[] {
  const standing: Stage = {
    name: 'Where it stands',
    milestone: () => `It is known what separates ${before} from ${after}`,
    criterion: () => `A page describes ${before} today, ${after} as it is to be, and the differences.`,
    tasks: [() => `Describe ${before} as it is today`, () => `List the differences between ${before} and ${after}`],
    weight: 1,
  };
  const step = (number: number): Stage => ({
    name: count > 4 ? `Step ${number}` : number === 1 ? 'First steps' : 'The change',
    milestone: () => `Step ${number} towards ${after} is done`,
    criterion: () => `What step ${number} was to change towards ${after} has changed, and a person can show it.`,
    tasks: [
      () => `Choose what step ${number} towards ${after} changes`,
      () => `Carry out step ${number} towards ${after}`,
    ],
    isMain: true,
    weight: 2,
  });
  const anchoring: Stage = {
    name: 'What lasts',
    milestone: () => `${after} is the normal state`,
    criterion: () => `Nothing falls back from ${after} to ${before} within the last days of the plan.`,
    tasks: [() => `Write down what keeps ${after}`, () => `Check that ${after} lasts, and correct what does not`],
    weight: 1,
  };
  const steps = Array.from({ length: count - 2 }, (_, index) => step(index + 1));
  return [standing, ...steps, anchoring];
}
