import { defineRule, send, suppress } from '../types.ts'

/** Suppresses what a repository's .hookbell.json excludes of its own events. Channels for records still get it. */
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
