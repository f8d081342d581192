import { readFileSync, writeFileSync } from 'node:fs';
import { lintDirections } from '#test/architecture/lint-directions.ts';
import { layers, vendors } from '#test/architecture/tables.ts';

/** Writes the tables of test/architecture/tables.ts into `.oxlintrc.json`. Run after changing a table. */
const file = new URL('../../.oxlintrc.json', import.meta.url);
const config = JSON.parse(readFileSync(file, 'utf8')) as { overrides: { rules: object }[] };
const own = config.overrides.filter(({ rules }) => !('no-restricted-imports' in rules));
writeFileSync(
  file,
  `${JSON.stringify({ ...config, overrides: [...lintDirections(layers, vendors), ...own] }, null, 2)}\n`,
);
