import { programAt } from '#app/bundle/program.ts';

await import(await programAt('app/run', process.env));
