/** 0 or more, below the given. */
export type Draw = (below: number) => number;

/** A linear congruential generator: the same everywhere. */
export function drawsFrom(seed: number): Draw {
  let state = seed % 2_147_483_647 || 1;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return Math.floor((state / 2_147_483_647) * below);
  };
}
