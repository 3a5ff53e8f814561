import type { Profiler } from 'node:inspector';

/** Self time of the functions of one package. */
export interface ProfileGroup {
  /** Package, `libs/NAME`, `labs/NAME`, `node:*`, `native`, `gc`, `idle` or `program` (the virtual machine itself). */
  readonly name: string;
  readonly micros: number;
}

/** Sums the self times of a profile by package, the largest first. */
export function groupProfile({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): readonly ProfileGroup[] {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameGroup(callFrame)]));
  const micros = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const name = names.get(id)!;
    // A sample lasts until the next one. The time of the last one is not known.
    micros.set(name, (micros.get(name) ?? 0) + (timeDeltas[index + 1] ?? 0));
  }
  return [...micros].map(([name, sum]) => ({ name, micros: sum })).toSorted((a, b) => b.micros - a.micros);
}

const PSEUDO_FUNCTIONS: Readonly<Record<string, string>> = {
  '(garbage collector)': 'gc',
  '(idle)': 'idle',
  '(program)': 'program',
  '(root)': 'program',
};

/** Returns the group of a function. Its URL is that of the compiled file, in which packages of this repository are symbolic links. */
export function nameGroup({
  functionName,
  url,
}: Pick<Profiler.ProfileNode['callFrame'], 'functionName' | 'url'>): string {
  if (url === '') return PSEUDO_FUNCTIONS[functionName] ?? 'native';
  if (url.startsWith('node:')) return 'node:*';
  const installed = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  return installed ?? /\/((?:libs|labs)\/.+?)\/(?:dist|src)\//.exec(url)?.[1] ?? 'others';
}
