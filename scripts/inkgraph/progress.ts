import type { Terminal } from '#scripts/cli/terminal.ts';

const width = 30;

/** A bar that fills up on a terminal; elsewhere a line for each step. Both on the error output: the other one is for results. */
export class Progress {
  readonly #terminal: Pick<Terminal, 'err' | 'isWatched'>;
  readonly #total: number;
  readonly #verb: string;
  #done = 0;

  constructor(terminal: Pick<Terminal, 'err' | 'isWatched'>, total: number, verb: string) {
    this.#terminal = terminal;
    this.#total = total;
    this.#verb = verb;
  }

  step(what: string): void {
    this.#done += 1;
    const count = `${this.#done}/${this.#total}`;
    if (this.#terminal.isWatched !== true) return this.#terminal.err(`${count} ${this.#verb} ${what}\n`);
    const filled = Math.round((this.#done / this.#total) * width);
    const bar = `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}]`;
    const end = this.#done === this.#total ? '\n' : '';
    this.#terminal.err(`\r\u001B[2K${bar} ${count} ${this.#verb} ${what}${end}`);
  }

  /** A line of its own, above the bar. */
  line(text: string): void {
    this.#terminal.err(`${this.#terminal.isWatched === true ? '\r\u001B[2K' : ''}${text}\n`);
  }
}
