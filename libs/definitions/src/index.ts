export {
  formatProblem,
  InvalidDefinitions,
  UnknownDefinition,
  UnusableAgent,
  type DefinitionProblem,
  type DefinitionKind,
} from './definition-errors.js';
export { DefinitionSet, type Loaded } from './definition/definition-set.js';
export { hashContent } from './definition/content-hash.js';
export { parseDefinitionPath, listFolders, type DefinitionPath } from './definition/parse-definition-path.js';
export {
  loadDefinitions,
  loadModelProfiles,
  loadUsableDefinitions,
  type Definitions,
  type LoadOptions,
  type LoadedDefinitions,
} from './definition/load-definitions.js';
export type { LoadedAgent } from './agent/load-agent.js';
export { findNearMatches } from './definition/near-matches.js';
export type { Variables } from './yaml/fill-placeholders.js';
export { parseYaml, type ParsedYaml, type YamlOptions } from './yaml/parse-yaml.js';
export { readYamlFile, type ReadYamlOptions } from './yaml/read-yaml-file.js';
export { generateAgentJsonSchema } from './agent/agent-json-schema.js';
export { ReloadingValue } from './reload/reloading-value.js';
