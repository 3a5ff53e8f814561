/** Finds the name of an agent in the text of its definition: a member `name` at the top level of YAML or JSON. */
export function nameFromYaml(text: string): string | undefined {
  return /^\s*\{?\s*"?name"?\s*:\s*["']?([a-z][a-z0-9-]{0,62})["']?\s*,?\s*(?:#.*)?$/m.exec(text)?.[1];
}
