import picocolors from 'picocolors';

/** Functions that colour text, by name of the colour. They return the text unchanged if colours are off. */
export type Paint = ReturnType<typeof picocolors.createColors>;

/** Decides whether to use colours. A non-empty NO_COLOR (https://no-color.org) switches them off; FORCE_COLOR enables them on a pipe. */
export function shouldUseColor(given: {
  readonly flag: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly isTerminal: boolean;
}): boolean {
  const { flag, env, isTerminal } = given;
  if (!flag || (env.NO_COLOR ?? '') !== '') return false;
  if ((env.FORCE_COLOR ?? '') !== '') return env.FORCE_COLOR !== '0';
  return isTerminal && env.TERM !== 'dumb';
}

export function createPaint(enabled: boolean): Paint {
  return picocolors.createColors(enabled);
}
