import { readFile } from 'node:fs/promises';
import { MasterKeys } from '@phaseline/event-store';
import type { CommonConfig } from '../config/service-config.js';
import { rememberSecrets } from '../log/secrets.js';
import { ConfigInvalid } from '../config/parse-config.js';

/**
 * Reads the master keys of the configuration; `MasterKeys.none` if there are none.
 * @throws ConfigInvalid, whose message contains no key
 */
export async function readMasterKeys(
  config: Pick<CommonConfig, 'PHASELINE_MASTER_KEY' | 'PHASELINE_MASTER_KEY_FILE'>,
): Promise<MasterKeys> {
  const { PHASELINE_MASTER_KEY: given, PHASELINE_MASTER_KEY_FILE: file } = config;
  if (given === undefined && file === undefined) return MasterKeys.none;
  const variable = given === undefined ? 'PHASELINE_MASTER_KEY_FILE' : 'PHASELINE_MASTER_KEY';
  try {
    const text = given ?? (await readFile(file!, 'utf8'));
    rememberSecrets(text.split(/[\s,]+/));
    return MasterKeys.parse(text);
  } catch (error) {
    throw new ConfigInvalid([{ variable, message: `the master keys cannot be read: ${(error as Error).message}` }]);
  }
}
