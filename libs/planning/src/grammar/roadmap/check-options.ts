import { buildPointer } from '../json-patch.js';
import type { Finding } from '../violation.js';
import type { RoadmapSubject } from './roadmap-check.js';

/** Options that RoadmapBuilder tries at least. */
const MIN_OPTIONS = 2;

/** Checks that different options were tried, and that one of them was chosen. */
export function checkOptions({ roadmap: { optionsTried, choice } }: RoadmapSubject): readonly Finding[] {
  const ids = optionsTried.map(({ id }) => id);
  const repeated = optionsTried.flatMap(({ id, title }, index): Finding[] => {
    const first = optionsTried.findIndex((one) => one.id === id || one.title.toLowerCase() === title.toLowerCase());
    if (first === index) return [];
    return [
      {
        ...{ code: 'option_repeated', node: null, field: `optionsTried.${index}` },
        message: `The option ${id} has the id or the title of another one.`,
        instruction: `Describe a different option in optionsTried.${index}, or remove it.`,
        fixes: [
          {
            description: `Remove the repeated option ${id}.`,
            operations: [{ op: 'remove', path: buildPointer('optionsTried', index) }],
          },
        ],
      },
    ];
  });
  return [...checkOptionCount(ids.length), ...repeated, ...(ids.includes(choice.option) ? [] : [buildUnknown(ids)])];
}

function checkOptionCount(count: number): readonly Finding[] {
  if (count >= MIN_OPTIONS) return [];
  return [
    {
      ...{ code: 'options_too_few', node: null, field: 'optionsTried' },
      message: `The roadmap has ${count} options; expected at least ${MIN_OPTIONS}.`,
      instruction:
        'Add another option to optionsTried, such as another order of the phases, with the reason for or against it.',
    },
  ];
}

function buildUnknown(ids: readonly string[]): Finding {
  return {
    ...{ code: 'choice_unknown', node: null, field: 'choice.option' },
    message: 'The choice is not one of the options.',
    instruction: `Set choice.option to one of: ${ids.join(', ') || 'the ids of optionsTried'}.`,
  };
}
