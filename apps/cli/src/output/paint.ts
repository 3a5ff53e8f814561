import picocolors from 'picocolors';

/** Colours by name; each function returns its text unchanged where there are no colours. */
export type Paint = ReturnType<typeof picocolors.createColors>;

/** https://no-color.org: NO_COLOR set to anything wins over a terminal; FORCE_COLOR wins over a pipe. */
export function wantsColor(given: {
  readonly flag: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly isTerminal: boolean;
}): boolean {
  const { flag, env, isTerminal } = given;
  if (!flag || (env.NO_COLOR ?? '') !== '') return false;
  if ((env.FORCE_COLOR ?? '') !== '') return env.FORCE_COLOR !== '0';
  return isTerminal && env.TERM !== 'dumb';
}

export function paintFor(enabled: boolean): Paint {
  return picocolors.createColors(enabled);
}
