import type { PhraseScanner } from './phrase-scanner.js';

/** A task that an agent is to do. Without a task, the agent does all that is not repeated. */
export interface AgentReading {
  readonly agent: string;
  readonly task?: string;
}

const NAME = '"?([a-z][a-z0-9]*(?:-[a-z0-9]+)*)"?';
const letDo = new RegExp(
  `\\b(?:please )?(?:let|have|make) (?:the )?agent ${NAME} ([a-z][^.;]{1,100}?)(?=$|[.;!?])`,
  'i',
);
const useFor = new RegExp(
  `\\b(?:please )?(?:use|with|by) (?:the )?agent ${NAME}(?: (?:for|to) ([^.;]{1,100}?))?(?=$|[.;!?,])`,
  'i',
);

/** Reads which agents do what, such as "let the agent writer draft the invitation", and takes the phrases. */
export function readAgents(scanner: PhraseScanner): readonly AgentReading[] {
  const found: AgentReading[] = [];
  for (;;) {
    const match = scanner.take(letDo) ?? scanner.take(useFor);
    if (match === undefined) return found;
    const task = match[2]?.trim();
    found.push({ agent: match[1]!, ...(task !== undefined && { task }) });
  }
}
