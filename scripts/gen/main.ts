import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import { orExplain, UsageError } from '#scripts/cli/with-app.ts';
import { checkerDoc } from '#scripts/gen/checker-doc.ts';
import { clientRows, clientTypes } from '#scripts/gen/client-rows.ts';
import { configDoc } from '#scripts/gen/config-doc.ts';
import { dataModelDoc } from '#scripts/gen/data-model-doc.ts';
import { errorsDoc } from '#scripts/gen/errors-doc.ts';
import { evaluatorsDoc } from '#scripts/gen/evaluators-doc.ts';
import { expressionsDoc } from '#scripts/gen/expressions-doc.ts';
import { nodePages, nodesDoc } from '#scripts/gen/nodes-doc.ts';
import { specificationDoc } from '#scripts/gen/specification-doc.ts';
import { toolsDoc } from '#scripts/gen/tools-doc.ts';
import { webRows } from '#scripts/gen/web-rows.ts';
import { buildOpenApi } from '#src/contracts/openapi.ts';
import { StoredGraph } from '#src/contracts/resources/graph.ts';
import { version } from '#src/config/version.ts';
import { z } from 'zod';

/** Files that are generated from the code. */
const generated: Readonly<Record<string, () => string | Promise<string>>> = {
  'docs/data-model.md': dataModelDoc,
  'docs/reference/checker.md': checkerDoc,
  'docs/reference/config.md': configDoc,
  'docs/reference/errors.md': errorsDoc,
  'docs/reference/evaluators.md': evaluatorsDoc,
  'docs/reference/expressions.md': expressionsDoc,
  'docs/reference/nodes.md': nodesDoc,
  ...nodePages(),
  'docs/reference/tools.md': toolsDoc,
  'docs/specification.md': specificationDoc,
  'web/api/rows.gen.ts': webRows,
  'docs/reference/openapi.json': () =>
    `${JSON.stringify(buildOpenApi('service', version, 'http://127.0.0.1:3000'), null, 2)}\n`,
  'docs/reference/dashboard-openapi.json': () =>
    `${JSON.stringify(buildOpenApi('dashboard', version, 'http://127.0.0.1:3000'), null, 2)}\n`,
  'docs/reference/graph.schema.json': () =>
    `${JSON.stringify(z.toJSONSchema(StoredGraph, { io: 'input' }), null, 2)}\n`,
  'packages/client/src/rows.gen.ts': clientRows,
  'packages/client/src/types.gen.ts': clientTypes,
};

const usage = helpText({
  usage: 'npm run gen [-- --check]',
  does: 'Writes the files that are generated from the code.',
  options: [['--check', 'writes nothing, and fails when one is not what the code says']],
  examples: ['npm run gen'],
});

/** `npm run gen`. */
export const generate = withHelp(usage, async ({ args }) => {
  const { values } = parseArgs({ args: [...args], options: { check: { type: 'boolean', default: false } } });
  const stale: string[] = [];
  const pages = new URL('../../docs/reference/nodes/', import.meta.url);
  await mkdir(pages, { recursive: true });
  // Node types that were removed.
  for (const name of (await readdir(pages)).filter(
    (file) => !Object.hasOwn(generated, `docs/reference/nodes/${file}`),
  )) {
    if (values.check) stale.push(`docs/reference/nodes/${name}`);
    else await rm(new URL(name, pages));
  }
  for (const [path, make] of Object.entries(generated)) {
    const file = new URL(`../../${path}`, import.meta.url);
    const text = await make();
    const current = await readFile(file, 'utf8').catch(() => '');
    if (current === text) continue;
    if (values.check) stale.push(path);
    else await writeFile(file, text);
  }
  if (stale.length > 0) throw new UsageError(`Out of date: ${stale.join(', ')}. Run: npm run gen`);
});

if (import.meta.main) await orExplain(generate);
