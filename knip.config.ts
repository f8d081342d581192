import type { KnipConfig } from 'knip';

/**
 * `knip` finds what nothing uses; `knip --production` finds what tests, benchmarks, generators and the gate alone use. Entries and
 * projects marked `!` take part in both.
 */
const config: KnipConfig = ({ production = false }) => ({
  workspaces: {
    '.': {
      entry: [
        'app/main.ts!',
        // Entry points of the bundle, and what builds it.
        'app/run.ts!',
        'app/stdio.ts!',
        'app/bundle/build.ts!',
        // Named by langgraph.json.
        'app/langgraph.ts!',
        'web/main.tsx!',
        'src/adapters/web/build-bundle.ts!',
        // Workflows in code, and the functions that their authors write them with.
        'graphs/*.workflow.ts!',
        'graphs/build.ts!',
        // Entry points of the package, and the code that `inkgraph init` copies.
        'graphs/code/{inkgraph,nodes}.ts!',
        'scripts/inkgraph/template/graphs/*.ts!',
        'scripts/pack/{prepack,postpack,build-workspace}.ts',

        'scripts/*.{ts,cjs}!',
        'scripts/demo/main.ts!',
        'scripts/inkgraph/main.ts!',
        'scripts/inputs/command.ts!',
        'scripts/languages/main.ts!',
        'scripts/migrate/main.ts!',
        'scripts/services/*.ts!',
        'scripts/topology/main.ts!',
        'scripts/container/*.ts!',
        'scripts/{bench,check,conformance,eval,fixtures,gen,pictures}/main.ts',
        'scripts/check/*.ts',
        'scripts/bench/install-peers.ts',
        'scripts/pictures/look.ts',
        'examples/*.ts',
        'examples/*/server.ts',
        'scripts/bench/targets/*.ts',
        'scripts/bench/compare/turn.ts',
        'test/**/*.test.ts',
        'test/support/durable/*-service.ts',
      ],
      project: [
        '{app,src,graphs,tools,mcp,http,scripts}/**/*.{ts,cjs}!',
        'web/**/*.{ts,tsx}!',
        ...(production ? ['!scripts/{bench,check,conformance,eval,fixtures,gen,pack,pictures}/**!'] : []),
        '{examples,test}/**/*.{ts,cjs}',
        '*.ts',
      ],
    },
    'packages/embedded-mongo': {
      entry: ['src/worker.ts!', 'test/**/*.test.ts'],
      project: ['src/**/*.ts!', 'test/**/*.ts', '*.ts'],
    },
    'packages/client': {
      entry: ['test/**/*.test.ts'],
      project: ['src/**/*.ts!', 'test/**/*.ts', '*.ts'],
    },
    'packages/paired-statistics': {
      entry: ['test/**/*.test.ts'],
      project: ['src/**/*.ts!', 'test/**/*.ts', '*.ts'],
    },
  },
  ignoreDependencies: [
    // Started as a program.
    '@langchain/langgraph-cli',
    // Started as programs, or imported by the code that they write.
    '@hey-api/openapi-ts',
    '@oazapfts/runtime',
    'oazapfts',
    'openapi-fetch',
    'openapi-typescript',
    // Programs that scripts/check starts by name.
    ...(production ? [] : ['oxfmt', 'oxlint', 'oxlint-tsgolint']),
    // Named by web/app.css.
    'tailwindcss',
    // Resolved at run time where it is installed: optional, and here for the tests.
    ...(production ? [] : ['libheif-js']),
    // Resolved as files, by `createRequire`.
    ...(production ? ['tesseract.js', '@tesseract.js-data/eng'] : []),
    // Pinned: without it at the root, installing resolves for minutes. Only tests import it.
    ...(production ? ['@langchain/langgraph-sdk'] : []),
  ],
  // A value that its own file uses is no dead code when it is exported for a test.
  ignoreExportsUsedInFile: production ? true : { interface: true, type: true },
});

export default config;
