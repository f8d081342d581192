import type { Request, Response } from 'express';
import { csvOf } from '#http/exports/csv.ts';
import type { ExperimentExport } from '#src/contracts/experiments/experiment.ts';

const facts = ['documentId', 'variant', 'trial', 'status', 'runId', 'ms', 'costUsd', 'cached'] as const;

/** One line for each run; each metric has a column with its value in its own unit, and one with its quality. */
export function tableOf({ experiment: { metrics }, cells }: ExperimentExport): string {
  const headings = [...facts, ...metrics.flatMap((metric) => [metric, `${metric}.quality`]), 'error', 'output'];
  const rows = cells.map((cell) => [
    ...facts.map((name) => cell[name]),
    ...metrics.flatMap((metric) => [cell.scores[metric]?.value, cell.scores[metric]?.quality]),
    cell.errorText,
    cell.outputText,
  ]);
  return csvOf([headings, ...rows]);
}

/** Sends an experiment as a file to save. */
export function sendExport(request: Request, response: Response, output: Record<string, unknown>): boolean {
  const { experiment } = output as unknown as ExperimentExport;
  const csv = request.query['format'] === 'csv';
  response.setHeader(
    'content-disposition',
    `attachment; filename="${experiment.experimentId}.${csv ? 'csv' : 'json'}"`,
  );
  if (!csv) return false;
  response.type('text/csv; charset=utf-8').send(tableOf(output as unknown as ExperimentExport));
  return true;
}
