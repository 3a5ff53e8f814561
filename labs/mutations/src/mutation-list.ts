import { load } from 'js-yaml';
import { z } from 'zod';

const text = z.string().min(1);

const mutationSchema = z.strictObject({
  /** Unique name, used with --only. */
  name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
  /** Source file, relative to the root of the repository. */
  file: text,
  /** Text that occurs exactly once in the file. */
  find: text,
  replace: z.string(),
  /** Spec files, at least one of which must have a failing test. */
  specs: z.array(text).min(1),
  /** Runs only the tests whose names match this pattern. */
  test: text.optional(),
  /** What would go wrong in production. */
  why: text,
});

export type Mutation = z.infer<typeof mutationSchema>;

/** Reads the list of mutations and checks that every name is used once. */
export function parseMutations(yaml: string): readonly Mutation[] {
  const mutations = z.array(mutationSchema).min(1).parse(load(yaml));
  const names = new Set<string>();
  for (const { name, find, replace } of mutations) {
    if (names.has(name)) throw new Error(`two mutations are named ${name}`);
    if (find === replace) throw new Error(`the mutation ${name} changes nothing`);
    names.add(name);
  }
  return mutations;
}

/** Applies a mutation to the text of its file. Throws unless the text to replace occurs exactly once. */
export function applyMutation(
  source: string,
  { file, find, replace }: Pick<Mutation, 'file' | 'find' | 'replace'>,
): string {
  const parts = source.split(find);
  if (parts.length !== 2) throw new Error(`the text to replace occurs ${parts.length - 1} times in ${file}`);
  return parts.join(replace);
}
