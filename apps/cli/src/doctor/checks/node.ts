import { fail, ok, type Check } from '../check.js';

/** Checks the version of Node.js that runs this command and the services started by `up`. */
export const node: Check = {
  name: 'node',
  run: async ({ limits }) => {
    const { node: version } = process.versions;
    if (Number(version.split('.', 1)[0]) >= limits.nodeMajor) return ok(`Node.js ${version}`);
    return fail(
      `Node.js ${version} is older than ${limits.nodeMajor}`,
      `use Node.js ${limits.nodeMajor} or newer; after \`npm ci\`, \`npx phaseline\` does`,
    );
  },
};
