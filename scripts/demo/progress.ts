import { stdout } from 'node:process';

/** A line that fills up on a terminal; elsewhere a line for each step. */
export class Progress {
  readonly #total: number;
  readonly #started = performance.now();
  #done = 0;

  constructor(total: number) {
    this.#total = total;
  }

  step(what: string): void {
    this.#done += 1;
    const seconds = ((performance.now() - this.#started) / 1_000).toFixed(1);
    const count = `${this.#done}/${this.#total}`;
    if (!stdout.isTTY) {
      stdout.write(`  ${count.padStart(5)}  ${seconds.padStart(6)} s  ${what}\n`);
      return;
    }
    const width = 30;
    const filled = Math.round((this.#done / this.#total) * width);
    stdout.write(`\r\u001B[2K  [${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${count}  ${seconds} s  ${what}`);
    if (this.#done === this.#total) stdout.write('\n');
  }
}
