// The claims checker: derives the accepted claims of an export again. `scripts/bundle-claims-checker.mjs` bundles it into one file.
//   node verify-claims.mjs [FOLDER]
// Prints the problems and then the report as JSON Lines; exits with 0 if there are no problems.
import { verifyExportedClaims } from './verify-exported-claims.js';

const folder = process.argv[2] ?? '.';
try {
  const { problems, ...report } = await verifyExportedClaims(folder);
  for (const problem of problems) console.log(JSON.stringify(problem));
  console.log(JSON.stringify({ passed: report.problemCount === 0, ...report }));
  process.exitCode = report.problemCount === 0 ? 0 : 1;
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  console.error(`${folder} cannot be read as an export with files (phaseline audit export --with-files): ${reason}`);
  process.exitCode = 2;
}
