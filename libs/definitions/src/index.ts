export {
  formatProblem,
  InvalidDefinitions,
  UnknownDefinition,
  UnusableAgent,
  type DefinitionProblem,
} from './definition-errors.js';
export { DefinitionSet, type Loaded } from './definition/definition-set.js';
export { parseDefinitionPath, listFolders, type DefinitionPath } from './definition/parse-definition-path.js';
export {
  loadDefinitions,
  loadModelProfiles,
  loadUsableDefinitions,
  type Definitions,
  type LoadedDefinitions,
} from './definition/load-definitions.js';
export { findWarnings } from './agent/find-warnings.js';
export type { LoadedAgent } from './agent/load-agent.js';
export type { Variables } from './yaml/fill-placeholders.js';
export { generateAgentJsonSchema } from './agent/agent-json-schema.js';
export { ReloadingValue } from './reload/reloading-value.js';
export { readSubmittedVerifiers } from './verifier/read-submitted-verifiers.js';
export { resolveVerifier } from './verifier/resolve-verifier.js';
export { loadGuardSet, type LoadedGuardSet } from './definition/load-guard-sets.js';
export { loadGuard, loadGuardFolders, loadGuards, readGuardFile } from './definition/load-guards.js';
export { readTextFile } from './file/read-text-file.js';
export { readYamlFile } from './yaml/read-yaml-file.js';
export { checkValue, readYaml } from './yaml/parse-yaml.js';
