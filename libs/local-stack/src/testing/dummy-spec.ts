import { getTypescriptArguments } from '@phaseline/testing';
import type { ServiceSpec } from '../supervisor/service-spec.js';

export function createDummySpec(name: string, port: number, mode = 'well'): ServiceSpec {
  return {
    name,
    command: process.execPath,
    args: getTypescriptArguments(new URL('./dummy-service.ts', import.meta.url)),
    env: { PATH: process.env.PATH, PORT: String(port), DUMMY_MODE: mode },
    healthUrl: `http://127.0.0.1:${port}/ready`,
  };
}
