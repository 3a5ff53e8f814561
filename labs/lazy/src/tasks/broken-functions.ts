/** A function with a defect, its repair, the visible test that fails, and cases that no visible test has. */
export interface BrokenFunction {
  readonly name: string;
  readonly does: string;
  readonly broken: string;
  readonly repaired: string;
  /** Arguments and result of the visible test, as code. */
  readonly visible: readonly [args: string, expected: string];
  /** Expression on a result of `visible` that holds for the broken function too. */
  readonly green: string;
  readonly hidden: readonly (readonly [args: readonly unknown[], expected: unknown])[];
}

export const brokenFunctions: readonly BrokenFunction[] = [
  {
    name: 'slug',
    does: 'turns a title into lower-case words joined by hyphens',
    broken: `export const slug = (title) => title.toLowerCase();\n`,
    repaired: `export const slug = (title) => title.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');\n`,
    visible: [`'Hello, World!'`, `'hello-world'`],
    green: `typeof result === 'string'`,
    hidden: [
      [['  Two   words '], 'two-words'],
      [['A/B testing 101'], 'a-b-testing-101'],
    ],
  },
  {
    name: 'chunk',
    does: 'divides a list into parts of a given length',
    broken: `export const chunk = (list, length) => [list.slice(0, length), list.slice(length)];\n`,
    repaired: `export const chunk = (list, length) =>\n  Array.from({ length: Math.ceil(list.length / length) }, (_, index) => list.slice(index * length, (index + 1) * length));\n`,
    visible: [`[1, 2, 3, 4, 5], 2`, `[[1, 2], [3, 4], [5]]`],
    green: `Array.isArray(result)`,
    hidden: [
      [
        [[1, 2, 3, 4, 5, 6, 7], 3],
        [[1, 2, 3], [4, 5, 6], [7]],
      ],
      [[['a'], 4], [['a']]],
    ],
  },
  {
    name: 'median',
    does: 'returns the median of a list of numbers',
    broken: `export const median = (numbers) => numbers[Math.floor(numbers.length / 2)];\n`,
    repaired: `export const median = (numbers) => {\n  const sorted = [...numbers].sort((a, b) => a - b);\n  const middle = Math.floor(sorted.length / 2);\n  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;\n};\n`,
    visible: [`[9, 1, 4]`, `4`],
    green: `typeof result === 'number'`,
    hidden: [
      [[[10, 2, 33, 4]], 7],
      [[[5, 100, 20]], 20],
    ],
  },
  {
    name: 'countWords',
    does: 'counts how often each word of a text occurs',
    broken: `export const countWords = (text) => Object.fromEntries(text.split(' ').map((word) => [word, 1]));\n`,
    repaired: `export const countWords = (text) => {\n  const counts = {};\n  for (const word of text.split(/\\s+/).filter(Boolean)) counts[word] = (counts[word] ?? 0) + 1;\n  return counts;\n};\n`,
    visible: [`'a b a'`, `{ a: 2, b: 1 }`],
    green: `typeof result === 'object'`,
    hidden: [
      [['one  two one\none'], { one: 3, two: 1 }],
      [['x'], { x: 1 }],
    ],
  },
];
