import { readFile } from 'node:fs/promises';
import { MasterKeys } from '@phaseline/event-store';
import type { CommonConfig } from '../config/service-config.js';
import { ConfigInvalid } from '../config/parse-config.js';

/** The master keys of the configuration; none where it names none. Throws ConfigInvalid, which never shows a key. */
export async function readMasterKeys(
  config: Pick<CommonConfig, 'PHASELINE_MASTER_KEY' | 'PHASELINE_MASTER_KEY_FILE'>,
): Promise<MasterKeys> {
  const { PHASELINE_MASTER_KEY: given, PHASELINE_MASTER_KEY_FILE: file } = config;
  if (given === undefined && file === undefined) return MasterKeys.none;
  const variable = given === undefined ? 'PHASELINE_MASTER_KEY_FILE' : 'PHASELINE_MASTER_KEY';
  try {
    return MasterKeys.parse(given ?? (await readFile(file!, 'utf8')));
  } catch (error) {
    throw new ConfigInvalid([{ variable, message: `no master key can be read: ${(error as Error).message}` }]);
  }
}
