/** Contents of a workspace by path. */
export type Files = ReadonlyMap<string, string>;

/** Says what is wrong with a part of the work, from the files of a workspace alone; an empty list if it is done. */
export type FindFlaws = (files: Files) => readonly string[] | Promise<readonly string[]>;

/**
 * The truth about one task. This folder knows nothing of the system under test: it imports Node and itself only, and reads the original
 * input and the files of a workspace.
 */
export interface GroundTruth {
  /** Judges the whole job. */
  readonly job: FindFlaws;
  /** Judges the parts of the work, by the path of the file that each produces. */
  readonly parts: Readonly<Record<string, FindFlaws>>;
}

/** Parses a JSON list of objects. Returns undefined if the text is anything else. */
export function parseObjects(text: string | undefined): readonly Record<string, unknown>[] | undefined {
  const value = parseJson(text);
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null);
  return isList ? (value as Record<string, unknown>[]) : undefined;
}

export function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

/** Lists the inputs that differ from what the job was given. */
export function findChangedInputs(originals: Files, files: Files): readonly string[] {
  return [...originals].flatMap(([path, text]) => (files.get(path) === text ? [] : [`${path} was changed or removed`]));
}
