/** A stage of work that is done once, with the texts of its nodes. `object` is what the goal is about. Weights are shares of the work of the stage. */
export interface Stage {
  readonly name: string;
  readonly milestone: (object: string) => string;
  readonly criterion: (object: string) => string;
  readonly tasks: readonly (readonly [weight: number, write: (object: string) => string])[];
  /** Whether work of a stated size belongs here. */
  readonly isMain?: boolean;
  /** Share of the work compared with the other stages. */
  readonly weight: number;
}

const preparation: Stage = {
  name: 'Preparation',
  milestone: (object) => `Ready to begin with ${object}`,
  criterion: (object) => `A list says what is needed for ${object}, and everything on it is there.`,
  tasks: [
    [1, (object) => `List what is needed for ${object}`],
    [3, (object) => `Get what is missing for ${object}`],
  ],
  weight: 1,
};
const start: Stage = {
  name: 'First part',
  milestone: (object) => `First part of ${object} ready to show`,
  criterion: (object) => `Another person has seen a first part of ${object} and said what to change.`,
  tasks: [
    [3, (object) => `Do a first part of ${object}`],
    [1, (object) => `Show the first part of ${object} and note what to change`],
  ],
  weight: 1.5,
};
const main: Stage = {
  name: 'Main part',
  milestone: (object) => `Main part of ${object} done`,
  criterion: (object) => `Nothing of the main part of ${object} is open.`,
  tasks: [
    [3, (object) => `Do the larger half of ${object}`],
    [2, (object) => `Do the other half of ${object}`],
  ],
  isMain: true,
  weight: 3,
};
const check: Stage = {
  name: 'Check',
  milestone: (object) => `Check of ${object} done`,
  criterion: (object) => `Each point of the list for ${object} was checked, and faults are corrected.`,
  tasks: [
    [2, (object) => `Check ${object} against the list`],
    [1, (object) => `Correct what the check of ${object} found`],
  ],
  weight: 1,
};
const completion: Stage = {
  name: 'Completion',
  milestone: (object) => `Completion of ${object}`,
  criterion: (object) => `The person who stated the goal says that it is reached: ${object}.`,
  tasks: [
    [3, (object) => `Finish what is open for ${object}`],
    [1, (object) => `Look at the result of ${object} and close the plan`],
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
    tasks: [
      [1, () => `Describe ${before} as it is today`],
      [1, () => `List the differences between ${before} and ${after}`],
    ],
    weight: 1,
  };
  const step = (number: number): Stage => ({
    name: count > 4 ? `Step ${number}` : number === 1 ? 'First steps' : 'The change',
    milestone: () => `Step ${number} towards ${after} is done`,
    criterion: () => `What step ${number} was to change towards ${after} has changed, and a person can show it.`,
    tasks: [
      [1, () => `Choose what step ${number} towards ${after} changes`],
      [4, () => `Carry out step ${number} towards ${after}`],
    ],
    isMain: true,
    weight: 2,
  });
  const anchoring: Stage = {
    name: 'What lasts',
    milestone: () => `The normal state: ${after}`,
    criterion: () => `Nothing falls back from ${after} to ${before} within the last days of the plan.`,
    tasks: [
      [1, () => `Write down what keeps ${after}`],
      [2, () => `Check that ${after} lasts, and correct what does not`],
    ],
    weight: 1,
  };
  const steps = Array.from({ length: count - 2 }, (_, index) => step(index + 1));
  return [standing, ...steps, anchoring];
}
