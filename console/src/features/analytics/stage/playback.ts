import { useEffect, useState } from 'react';

export const speeds = ['1', '10', '60'] as const;
export type Speed = (typeof speeds)[number];

const drawEveryMs = 100;

/** The time of a walk, which passes as fast as somebody likes, and can be set. */
export function usePlayback(seconds: number) {
  const [time, setTime] = useState(0);
  const [speed, setSpeed] = useState<Speed>('10');
  const [isPlaying, setPlaying] = useState(false);
  const isRunning = isPlaying && time < seconds;
  useEffect(() => {
    if (!isRunning) return;
    let before = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      const passed = ((now - before) / 1_000) * Number(speed);
      before = now;
      setTime((known) => Math.min(seconds, known + passed));
    }, drawEveryMs);
    return () => clearInterval(timer);
  }, [isRunning, speed, seconds]);
  return {
    time,
    speed,
    setSpeed,
    isRunning,
    play: () => {
      if (time >= seconds) setTime(0);
      setPlaying(true);
    },
    stop: () => setPlaying(false),
    /** Goes there, and stays. */
    goTo: (to: number) => {
      setPlaying(false);
      setTime(Math.max(0, Math.min(seconds, to)));
    },
    begin: () => {
      setTime(0);
      setPlaying(true);
    },
  };
}

export type Playback = ReturnType<typeof usePlayback>;
