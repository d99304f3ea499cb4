import { defineRule, send, suppress } from './types.ts'

/** What a repository says of its own events, in so far as it may. A record goes on. */
export const projectFile = defineRule({
  name: 'project-file',
  isNoise: false,
  judge({ kind }, { isRecord }, { project }) {
    if (isRecord || !project) return send
    if (project.isMuted(kind)) return suppress(`muted by .hookbell.json in ${project.root}`)
    return project.fails === undefined
      ? send
      : suppress(`.hookbell.json in ${project.root}: ${project.fails}`)
  },
})
